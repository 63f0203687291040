"""The schedule as Prefect flows: each month that is due, with its refresh, evaluations, report, gates and notice."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from socket import gethostname
from typing import Any

from prefect import flow, get_run_logger, tags, task
from prefect.artifacts import create_markdown_artifact, create_progress_artifact, update_progress_artifact
from prefect.cache_policies import NO_CACHE
from prefect.runtime import flow_run

from flows.evaluating.flow import evaluate
from flows.progress import Console
from flows.refreshing.flow import refresh
from flows.report.page import write
from flows.schedule import month as steps
from flows.schedule.catch_up import MonthsFailed, catch_up, start_of, without_trouble
from flows.schedule.due import Month
from flows.schedule.notice import MonthEnding
from flows.schedule.webhook import address, send
from flows.settings_in_force import settings_in_force
from flows.site.build import build
from flows.workers.limits import only_one
from flows.workers.retrying import RETRIES
from newwiki.quiet import end_quietly
from newwiki.registrations import Model, Registrations, load_registrations
from newwiki.registry import load_plugin
from newwiki.settings import Settings
from newwiki.snapshot import Snapshot
from newwiki.visible import in_markdown, visible
from storage.database import Database


def _on_which_day() -> str:
    return f"due on {flow_run.parameters['today'] or datetime.now(UTC).date()}"


@flow(name="newwiki-monthly", flow_run_name=_on_which_day)
def monthly(
    config: str = "newwiki.toml", db: str | None = None, plugins: Sequence[str] = (), today: date | None = None
) -> Sequence[MonthEnding]:
    """Publish and evaluate every registered month that is due and incomplete.

    `today` defaults to the current date in UTC. Raises the same errors as `flows.schedule.catch_up.catch_up`.
    """
    end_quietly()
    for plugin in plugins:
        load_plugin(Path(plugin))
    settings = settings_in_force(Path(config), db=db)
    registered = load_registrations(Path(config))
    database = Database(settings.db)

    def show() -> None:
        with only_one("writer", str(database.path.resolve())):
            steps.update_site(registered, settings, _SiteTasks(database, Console(), write, build))

    endings = catch_up(database, registered, settings, start_of(today), _tagged, show)
    if not endings:
        get_run_logger().info("no month is due: every registered month is complete")
    return endings


def _tagged(due_month: Month) -> MonthEnding:
    """Run a month and return its ending. A failure is returned as well, so that the later months still run."""
    with tags("newwiki", due_month.wiki.name, due_month.label):
        try:
            ended: MonthEnding = month(due_month)
        except MonthsFailed as error:
            (ended,) = error.endings
    return ended


@flow(name="newwiki-month", flow_run_name="{asked}")
def month(asked: Month) -> MonthEnding:
    """Process one month of one wiki, with exclusive use of its database.

    Raises MonthsFailed if a step or a gate failed, so that Prefect marks the flow as failed.
    """
    database = Database(asked.settings.db)
    with only_one("writer", str(database.path.resolve())):
        ending = steps.run(asked, _MonthTasks(database, Console(), write, build, _Bar(asked)))
    without_trouble([ending])
    return ending


class _Bar:
    """A progress artifact with one step for the refresh, one for each model, and one for the rest."""

    def __init__(self, month: Month) -> None:
        self._steps, self._done = len(month.registered.models) + 2, 0
        self._id = create_progress_artifact(0.0, _key("progress", str(month)), f"{month}: how far it is")

    def step(self) -> None:
        self._done += 1
        update_progress_artifact(self._id, 100 * self._done / self._steps)

    def end(self) -> None:
        update_progress_artifact(self._id, 100.0)


class _SiteTasks(steps.MonthSteps):
    """The steps from the runs to the published site as Prefect tasks."""

    def link(self, registered: Registrations, settings: Settings) -> None:
        _link(super().link, registered, settings)

    def site(self, registered: Registrations, settings: Settings) -> Path:
        folder: Path = _site(super().site, registered, settings)
        return folder

    def publish(self, folder: Path, place: str) -> None:
        _publish(super().publish, folder, place)


@dataclass(frozen=True)
class _MonthTasks(_SiteTasks):
    """The steps of a month as Prefect flows and tasks."""

    bar: _Bar

    def refresh(self, month: Month) -> Snapshot:
        published: Snapshot = refresh(month.request, month.settings)
        self.bar.step()
        return published

    def evaluate(self, month: Month, model: Model, snapshot: Snapshot) -> set[str]:
        request = steps.request_of(month.registered, model, snapshot.snapshot_id)
        scorers: set[str] = evaluate(request, month.settings_of(model))
        self.bar.step()
        return scorers

    def report(self, month: Month, snapshot: Snapshot) -> Path:
        written: Path = _report(super().report, month, snapshot)
        return written

    def tell(self, month: Month, message: dict[str, Any]) -> None:
        if address(month.registered.notify):
            _notify(month, message)

    def ended(self, ending: MonthEnding, message: dict[str, Any]) -> None:
        self.bar.end()
        get_run_logger().info(visible(message["text"]))
        create_markdown_artifact(_summary(ending), _key("month", str(ending.month)), f"How {ending.month} ended")


@task(name="report", task_run_name="report on {snapshot.snapshot_id}", cache_policy=NO_CACHE, **RETRIES)
def _report(write: Callable[[Month, Snapshot], Path], month: Month, snapshot: Snapshot) -> Path:
    return write(month, snapshot)


@task(name="link", task_run_name="link the months", cache_policy=NO_CACHE, **RETRIES)
def _link(link: Callable[[Registrations, Settings], None], registered: Registrations, settings: Settings) -> None:
    link(registered, settings)


@task(name="site", task_run_name="write the site", cache_policy=NO_CACHE, **RETRIES)
def _site(write: Callable[[Registrations, Settings], Path], registered: Registrations, settings: Settings) -> Path:
    return write(registered, settings)


@task(name="publish", task_run_name="publish to {place}", cache_policy=NO_CACHE, **RETRIES)
def _publish(publish: Callable[[Path, str], None], folder: Path, place: str) -> None:
    publish(folder, place)


@task(name="notify", task_run_name="notify of {month}", cache_policy=NO_CACHE, **RETRIES)
def _notify(month: Month, told: dict[str, Any]) -> None:
    """Look up the address inside the task, so that Prefect never stores it."""
    if place := address(month.registered.notify):
        send(place, told, told["key"])


def _summary(ending: MonthEnding) -> str:
    """Return the ending in Markdown, with the location of the report."""
    lines = [f"# {in_markdown(str(ending.month))}"]
    if ending.snapshot:
        lines.append(f"- published: {in_markdown(ending.snapshot.snapshot_id)}, {ending.snapshot.articles} articles")
    if ending.report:
        lines.append(f"- report: {in_markdown(str(ending.report))} on {in_markdown(gethostname())}")
    if ending.site:
        lines.append(f"- site: {in_markdown(str(ending.site_address))}")
    lines += [f"- gate: {in_markdown(str(gate))}" for gate in ending.gates]
    lines += [f"- **failed**: {in_markdown(what)}: {in_markdown(why)}" for what, why in ending.failures.items()]
    return "\n".join(lines)


def _key(kind: str, what: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", f"{kind}-{what}".lower()).strip("-")
