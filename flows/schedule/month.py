"""Process one month from the refresh to the notice. Steps that are already complete are skipped."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from flows.bundles.taking_in import waits_for_bundles
from flows.comparing.bounds import bounds_of, judge
from flows.evaluating.evaluate_all import evaluate_all
from flows.experiments.linking.link_months import link_months
from flows.progress import Progress
from flows.publishing.places import publish
from flows.refreshing.which_pages import refresh_from
from flows.schedule.due import Month
from flows.schedule.notice import MonthEnding, MonthGate, notice
from flows.schedule.webhook import address, send_patiently
from newwiki.comparison_requests import GateRequest, ReportRequest
from newwiki.errors import NewWikiError, TerminalError, TransientError, UsageError
from newwiki.file_names import file_name
from newwiki.knowledge_cutoff import known_cutoff
from newwiki.prompting.chat_prompts import resolved
from newwiki.registrations import Gate, Model, Registrations
from newwiki.request import EvaluationRequest
from newwiki.settings import Settings
from newwiki.site_request import SiteRequest
from newwiki.snapshot import Snapshot
from newwiki.sources.backoff import Backoff
from storage import knowledge_cutoffs, months
from storage.comparison import contenders
from storage.database import Database

T = TypeVar("T")


@dataclass(frozen=True)
class MonthSteps:
    """The steps of a month. This class runs them in this process, in sequence."""

    database: Database
    progress: Progress
    write_report: Callable[[Database, Progress, ReportRequest, Path], Path]
    write_site: Callable[[SiteRequest, Settings, Progress, Path], object]

    def refresh(self, month: Month) -> Snapshot:
        return refresh_from(self.database, month.request, month.settings, self.progress)

    def evaluate(self, month: Month, model: Model, snapshot: Snapshot) -> set[str]:
        request = request_of(month.registered, model, snapshot.snapshot_id)
        return evaluate_all(self.database, request, month.settings_of(model), self.progress)

    def report(self, month: Month, snapshot: Snapshot) -> Path:
        folder = Path(month.registered.report.out)
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{file_name(snapshot.snapshot_id)}.html"
        return self.write_report(
            self.database, self.progress, ReportRequest(snapshot=snapshot.snapshot_id), file
        ).resolve()

    def store_cutoffs(self, registered: Registrations, settings: Settings) -> None:
        """Store the knowledge cutoffs of newwiki.toml for the models' runs on complete months too."""
        for model in registered.models:
            if cutoff := known_cutoff(model.name, None, dict(settings.knowledge_cutoffs)):
                for note in knowledge_cutoffs.enter_for_model(self.database, model.name, cutoff):
                    self.progress.note(note)

    def link(self, registered: Registrations, settings: Settings) -> None:
        """Link the months of each wiki. Months that cannot be linked yet are no failure; the site says why."""
        assert registered.linking
        unlinked = link_months(self.database, settings, self.progress, registered.linking.anchor)
        for wiki, reason in unlinked.items():
            self.progress.note(f"the months of {wiki} are not on one scale: {reason}")

    def site(self, registered: Registrations, settings: Settings) -> Path:
        """Write the site of the registered sources; a folder that still waits for bundles is left out."""
        assert registered.site
        request = SiteRequest(**registered.site.fields_for(SiteRequest))
        there = tuple(name for name in request.sources if not waits_for_bundles(Path(name)))
        out = Path(registered.site.out)
        self.write_site(replace(request, sources=there or (settings.db,)), settings, self.progress, out)
        return out

    def publish(self, folder: Path, place: str) -> None:
        publish(folder, place, self.progress)

    def tell(self, month: Month, message: dict[str, Any]) -> None:
        """Send the notice, or do nothing if no webhook is registered."""
        if place := address(month.registered.notify):
            send_patiently(place, message, message["key"], Backoff())

    def ended(self, ending: MonthEnding, message: dict[str, Any]) -> None:
        """Show the result of a month."""
        self.progress.note(message["text"])


def run(month: Month, work: MonthSteps) -> MonthEnding:
    """Run the remaining steps of a month, send the notice, and record the ending.

    Failures are part of the ending. A failed step stops only the steps that depend on it.
    """
    failures: dict[str, Exception] = {}
    report: Path | None = None
    gates: list[MonthGate] = []
    snapshot = _attempt(failures, "refresh", work.refresh, month)
    if snapshot:
        models = month.registered.models
        scorers = [_attempt(failures, f"model {model.name}", work.evaluate, month, model, snapshot) for model in models]
        if any(ids is not None for ids in scorers):
            report = _attempt(failures, "report", work.report, month, snapshot)
        for gate in month.registered.gates:
            gates += (
                _attempt(failures, f"gate on {gate.candidate}", _judged, work.database, month, gate, snapshot) or []
            )
    folder = _update_site(month.registered, month.settings, work, failures) if snapshot else None
    held_up = isinstance(failures.get("refresh"), TransientError)
    ending = MonthEnding(month, snapshot, report, folder, tuple(gates), _words(failures), held_up)
    message = notice(work.database, ending)
    work.ended(ending, message)
    if not months.is_recorded(work.database, ending.key):
        _attempt(failures, "notice", _tell, work, ending, message)
    return replace(ending, failures=_words(failures))


def update_site(registered: Registrations, settings: Settings, work: MonthSteps) -> None:
    """Bring the registered site up to date with the database. Raises TerminalError if a step failed."""
    failures: dict[str, Exception] = {}
    _update_site(registered, settings, work, failures)
    if failures:
        raise TerminalError("; ".join(f"{what}: {why}" for what, why in _words(failures).items()))


def _update_site(
    registered: Registrations, settings: Settings, work: MonthSteps, failures: dict[str, Exception]
) -> Path | None:
    """Link the months, write the site of everything in the database, and copy it to each place, as registered.

    Knowledge cutoffs of newwiki.toml are stored first, because the pages rest on them. A step without a change writes
    nothing. Returns the folder of the site.
    """
    _attempt(failures, "knowledge cutoffs", work.store_cutoffs, registered, settings)
    if registered.linking:
        _attempt(failures, "linking", work.link, registered, settings)
    folder = _attempt(failures, "site", work.site, registered, settings) if registered.site else None
    if folder:
        for place in registered.publish.to if registered.publish else ():
            _attempt(failures, f"publishing to {place}", work.publish, folder, place)
    return folder


def _tell(work: MonthSteps, ending: MonthEnding, message: dict[str, Any]) -> None:
    """Send the notice, then record it.

    After a crash the notice may arrive twice with the same key, but it is never lost.
    """
    month = ending.month
    work.tell(month, message)
    now = datetime.now(UTC).replace(microsecond=0)
    notify = month.registered.notify
    months.record(
        work.database,
        months.MonthRecord(
            notice_key=ending.key,
            wiki=month.wiki.name,
            month=month.label,
            registered_sha256=month.registered_sha256,
            snapshot_id=ending.snapshot.snapshot_id if ending.snapshot else None,
            complete=ending.complete,
            recorded_at=now,
            notified_at=now if notify.webhook_env or notify.webhook_block else None,
        ),
    )


def request_of(registered: Registrations, model: Model, snapshot: str) -> EvaluationRequest:
    """Return the evaluation request for a registered model. Raises UsageError for invalid settings."""
    arguments = {
        name: ("yes" if value else "no") if isinstance(value, bool) else str(value)
        for name, value in model.arguments.items()
    }
    try:
        return EvaluationRequest(
            models=(model.name,), decoder=model.decoders, model_args=arguments, snapshot=snapshot,
            **model.fields_for(EvaluationRequest), **registered.evaluation.fields_for(EvaluationRequest),
        )  # fmt: skip
    except UsageError as error:
        raise UsageError(f"[evaluation]: {error}") from None


def _judged(database: Database, month: Month, gate: Gate, snapshot: Snapshot) -> list[MonthGate]:
    """Judge a gate by the registered runs only, because the snapshot may have other runs."""
    evaluation = month.registered.evaluation
    numbers = (evaluation.prompts, evaluation.samples, evaluation.keep, evaluation.max_new_tokens, evaluation.seed)
    templates = {resolved(month.settings_of(model).template, snapshot) for model in month.registered.models}
    among = {
        run_id
        for template in templates
        for (run_id,) in database.rows("registered_runs", snapshot.snapshot_id, *numbers, template)
    }
    among.add(f"reference:{snapshot.snapshot_id}")
    baseline, candidate = contenders(database, [gate.baseline, gate.candidate], among)
    request = GateRequest(**gate.fields_for(GateRequest))
    bounds = bounds_of(database, baseline, candidate, request.fail_if, request.max_loss)
    judgements, _ = judge(database, baseline, candidate, bounds)
    return [
        MonthGate(gate.baseline, gate.candidate, result, is_closed=result.fails(request.doubt)) for result in judgements
    ]


def _attempt(failures: dict[str, Exception], what: str, do: Callable[..., T], *arguments: Any) -> T | None:
    """Return the result of a step, or record its exception in `failures` and return None."""
    try:
        return do(*arguments)
    except Exception as error:  # noqa: BLE001 (a model can raise any exception; the month reports it at the end)
        failures[what] = error
        return None


def _words(failures: Mapping[str, Exception]) -> dict[str, str]:
    return {
        what: str(error) if isinstance(error, NewWikiError) else f"{type(error).__name__}: {error}"
        for what, error in failures.items()
    }
