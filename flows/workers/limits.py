"""Prefect's global concurrency limits: one refresh a wiki, one writer a database."""

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256

from prefect import get_client
from prefect.concurrency.sync import concurrency
from prefect.settings import PREFECT_API_URL

from newwiki.errors import TransientError

_PATIENCE = 600.0  # seconds; what a killed run held is free again after 300


@contextmanager
def only_one(what: str, place: str) -> Iterator[None]:
    """Holds the limit `newwiki-WHAT-…` of this place, which is made where there is none.

    Without a configured server there is nobody to share it with, and nothing is held: the database itself lets one
    writer in at a time. Raises TransientError where another run holds it for too long.
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
