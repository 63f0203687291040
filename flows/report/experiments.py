"""The answers of experiments, as a section of their snapshot's report and as pages of their own."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from flows.experiments import record
from flows.experiments.experiment import Figure, Judged, Table, named
from flows.experiments.methods import Methods, RunRead
from flows.presenting.charts import PageSigns, names_shown_as
from flows.report.templating import assets, environment, write_page
from newwiki.private_places import public_name
from storage import experiments
from storage.database import Database
from storage.experiments import StoredExperiment
from storage.outputs import safe


@dataclass(frozen=True)
class Section:
    """An answer as a page shows it."""

    title: str
    question: str
    source: str
    answer: StoredExperiment
    sentence: str
    words: Sequence[str]
    over: str
    findings: Sequence[tuple[str, Sequence[str]]]
    tables: Sequence[Table]
    first: Sequence[Figure]
    figures: Sequence[Figure]
    methods: Methods | None
    left_out: Sequence[Mapping[str, Any]]
    bibtex: str


def sections(database: Database, snapshot_id: str, signs: PageSigns) -> list[Section]:
    """Return the newest answer to each question on a snapshot."""
    return [_section(database, answer, signs) for answer in experiments.on_snapshot(database, snapshot_id)]


def write_answer(database: Database, experiment_id: str, path: Path) -> Path:
    """Write an answer as a page and return the path. Raises UsageError if the file cannot be written."""
    with database.read():
        section = _section(database, experiments.stored(database, experiment_id), None)
    html = environment().get_template("experiment.html").render(
        experiments=[section],
        written_at=datetime.now(UTC),
        version=version("newwiki-eval"),
        **assets(),
    )  # fmt: skip
    return write_page(html, safe(path, database.path))


def _names(database: Database, answer: StoredExperiment) -> Callable[[Any], Any]:
    """Return a function that removes the folders from the names of local models in a text.

    Other people read the page too, so local paths are private. Names that would be equal without their folders keep
    them.
    """
    methods = record.methods(answer)
    names = (
        {run.model for run in database.records(RunRead, "runs_read", [run.run_id for run in methods.runs])}
        if methods
        else set()
    )
    names |= {text for text in _texts(json.loads(answer.request)) if public_name(text) != text}
    short = [public_name(name) for name in names]
    known = sorted((name for name in names if short.count(public_name(name)) == 1), key=len, reverse=True)

    def brief(text: Any) -> Any:
        """Return anything but text unchanged; a verdict keeps its tone."""
        if not isinstance(text, str):
            return text
        shortened = str(text)
        for name in known:
            shortened = shortened.replace(name, public_name(name))
        if isinstance(text, Judged):
            return Judged(shortened, text.tone)
        return shortened

    return brief


def _texts(request: Mapping[str, Any]) -> set[str]:
    values = [item for value in request.values() for item in (value if isinstance(value, list) else [value])]
    return {item for item in values if isinstance(item, str)}


def _brief(table: Table, brief: Callable[[Any], Any]) -> Table:
    return Table(brief(table.caption), table.heads, [[brief(cell) for cell in row] for row in table.cells])


def _section(database: Database, answer: StoredExperiment, signs: PageSigns | None) -> Section:
    """Gather an answer for a page; without the signs of a larger page its models get signs of their own."""
    experiment = named(answer.name)
    shown = experiment.show(database, answer.experiment_id)
    brief = _names(database, answer)
    methods = record.methods(answer)
    page = signs or PageSigns(model.model for model in (methods.models if methods else ()))
    with names_shown_as(brief):
        figures = [replace(figure, caption=brief(figure.caption)) for figure in shown.figures(page)]
    first = [figure for figure in figures if figure.first] or figures[:1]
    return Section(
        title=experiment.title,
        question=experiment.question,
        source=experiment.source,
        answer=answer,
        sentence=brief(shown.findings.answer),
        words=[brief(sentence) for sentence in answer.words],
        over=record.unit_words(methods) if methods else answer.generalizes_over or "not recorded",
        findings=[(title, [brief(sentence) for sentence in sentences]) for title, sentences in shown.findings.titled],
        tables=[_brief(table, brief) for table in shown.tables],
        first=first,
        figures=[figure for figure in figures if figure not in first],
        methods=methods,
        left_out=record.left_out(methods) if methods else [],
        bibtex=record.bibtex(experiment, replace(answer, verdict=brief(answer.verdict))),
    )
