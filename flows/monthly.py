"""The month as one Prefect flow: refresh, then evaluate every model on what was published.

A month is due on the 15th of the next one, and is cut there, so that what was just created could settle.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from prefect import flow

from flows.evaluate import evaluate
from flows.refresh import refresh
from flows.steps.evaluate import EvaluationRequest
from flows.steps.refresh import RefreshRequest
from newwiki.records import Selection, Window
from newwiki.settings import Settings


@flow(name="newwiki-monthly", flow_run_name="month {month}")
def monthly(
    db: str,
    source: str,
    place: str,
    month: str = "due",
    models: Sequence[str] = (),
    decoders: Sequence[str] = (),
    *,
    settings: Settings,
    selection: Selection | None = None,
    cutoff: datetime | None = None,
    request: EvaluationRequest | None = None,
) -> str:
    """Publishes the month and scores the models on it. Gives the snapshot's id. A month that is done costs nothing.

    `month` is YYYY-MM, or `due`: the newest month that is due. `cutoff` None means the 15th of the next month.
    """
    window = newest_due(datetime.now(UTC)) if month == "due" else Window.month(month)
    wanted = RefreshRequest(window, selection or Selection(), cutoff or settled(window))
    snapshot = refresh(db, source, place, wanted, contact=settings.contact or None, wikidata=settings.wikidata)
    asked = replace(request or EvaluationRequest(), snapshot=snapshot.snapshot_id)
    evaluate(db, models, decoders, request=asked, settings=settings)
    return str(snapshot.snapshot_id)


def newest_due(now: datetime) -> Window:
    """The newest month whose pages have settled by `now`."""
    last = Window.month(f"{now.replace(day=1) - timedelta(days=1):%Y-%m}")
    return last if settled(last) <= now else Window.month(f"{last.start - timedelta(days=1):%Y-%m}")


def settled(month: Window) -> datetime:
    """When a month is cut: at the start of the 15th of the next one."""
    return month.end.replace(day=15)
