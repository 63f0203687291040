"""Prefect's global concurrency limits: one refresh per wiki, and one writer per database."""

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256

from prefect import get_client
from prefect.concurrency.sync import concurrency
from prefect.settings import PREFECT_API_URL

from newwiki.errors import TransientError

_PATIENCE = 600.0  # seconds; Prefect releases the limit of a killed run after 300


@contextmanager
def only_one(what: str, place: str) -> Iterator[None]:
    """Hold the limit `newwiki-WHAT-…` of this place inside the block, and create the limit if necessary.

    Without a configured server, no limit is held, because the database already allows only one writer. Raises
    TransientError if another run holds the limit for too long.
    """
    if not PREFECT_API_URL.value():
        yield
        return
    readable = re.sub(r"[^\w.-]+", "-", place).strip("-")[-40:]
    name = f"newwiki-{what}-{readable}-{sha256(place.encode()).hexdigest()[:6]}"
    with get_client(sync_client=True) as client:
        client.upsert_global_concurrency_limit_by_name(name, 1)
    with ExitStack() as held:
        try:
            held.enter_context(
                concurrency(name, timeout_seconds=_PATIENCE, strict=True, raise_on_lease_renewal_failure=False)
            )
        except TimeoutError:
            raise TransientError(
                f"another run holds Prefect's concurrency limit '{name}'; if there is none, free it with "
                f"`prefect gcl update {name} --active-slots 0`"
            ) from None
        yield
