"""Send notices to a webhook, whose address is a secret, and retry until the webhook accepts them."""

import os
from collections.abc import Mapping
from typing import Any

import requests

from newwiki.errors import TerminalError, TransientError, UsageError
from newwiki.registrations import Notify
from newwiki.sources.backoff import Backoff

_TIMEOUT = 30.0  # seconds
_LATER = (408, 425, 429)


def address(notify: Notify) -> str | None:
    """Return the webhook's address, or None if no webhook is registered.

    Raises UsageError if the address is unavailable. Callers look up the address immediately before use, and never pass
    it to code that stores or shows its arguments.
    """
    if notify.webhook_block:
        return _from_block(notify.webhook_block)
    if not notify.webhook_env:
        return None
    if not (url := os.environ.get(notify.webhook_env)):
        raise UsageError(
            f"[notify] names the environment variable {notify.webhook_env}, which is not set; "
            "set it to the webhook's address"
        )
    return url


def send(place: str, notice: Mapping[str, Any], key: str) -> None:
    """Post the notice as JSON.

    The header Idempotency-Key contains `key`, so that the receiver recognizes a repeated notice. Raises TransientError
    if the webhook may accept the notice later, and TerminalError if it will not. No message contains the address.
    """
    try:
        answer = requests.post(
            place, json=notice, headers={"Idempotency-Key": key}, timeout=_TIMEOUT, allow_redirects=False
        )
    except (requests.exceptions.InvalidURL, requests.exceptions.InvalidSchema, requests.exceptions.MissingSchema):
        raise TerminalError("the webhook's address is none that can be posted to; it begins with https://") from None
    except requests.RequestException as error:
        raise TransientError(f"the webhook cannot be reached ({type(error).__name__})") from None
    if answer.status_code in _LATER or answer.status_code >= 500:
        raise TransientError(f"the webhook answered {answer.status_code}; it is tried again")
    if not 200 <= answer.status_code < 300:
        raise TerminalError(f"the webhook answered {answer.status_code}, so it did not take the notice")


def send_patiently(place: str, notice: Mapping[str, Any], key: str, backoff: Backoff) -> None:
    """Send the notice, and retry after transient errors. Raises TransientError after the last retry."""
    while True:
        try:
            return send(place, notice, key)
        except TransientError:
            if not backoff.next():
                raise


def _from_block(name: str) -> str:
    from prefect.blocks.system import Secret

    try:
        return str(Secret.load(name).get())
    except ValueError as error:
        raise UsageError(f"[notify] names the Secret block '{name}', which Prefect does not have: {error}") from None
