"""The month as one Prefect flow: refresh, then evaluate every model on what was published."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

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
    month: str,
    models: Sequence[str],
    decoders: Sequence[str],
    *,
    settings: Settings,
    selection: Selection | None = None,
    cutoff: datetime | None = None,
    request: EvaluationRequest | None = None,
) -> str:
    """Publishes the month and scores the models on it. Gives the snapshot's id. A month that is done costs nothing."""
    wanted = RefreshRequest(Window.month(month), selection or Selection(), cutoff)
    snapshot = refresh(db, source, place, wanted, contact=settings.contact or None, wikidata=settings.wikidata)
    asked = replace(request or EvaluationRequest(), snapshot=snapshot.snapshot_id)
    evaluate(db, models, decoders, request=asked, settings=settings)
    return str(snapshot.snapshot_id)
