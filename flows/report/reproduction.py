"""The page of a reproduction: a paper's tables with this project's numbers in them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from flows.presenting.numbers import digits
from flows.report.templating import assets, environment, write_page
from flows.reproducing.matching import FAILS, HOLDS, Match
from flows.reproducing.records import interval, summary
from flows.reproducing.reproduce import ReproducedPaper
from flows.reproducing.step import Outcome, Task
from newwiki.decoding.grammar import short_form
from newwiki.papers.published import Exhibit, Row
from storage.outputs import safe

_TONES = {HOLDS: "good", FAILS: "bad"}


@dataclass(frozen=True)
class Cell:
    """The paper's number, the reproduced number, and a remark; `note` is the number of a footnote."""

    published: str
    ours: str = ""
    interval: str = ""
    standing: str = ""
    tone: str = ""
    note: int | None = None


@dataclass(frozen=True)
class RowShown:
    """A row of an exhibit; `whose` are the models of the reproduced numbers in the row."""

    model: str
    about: str
    whose: str
    cells: Sequence[Cell | None]


@dataclass(frozen=True)
class ExhibitShown:
    """An exhibit with its rows; `answers` are the verdicts of the experiments that answer it."""

    exhibit: Exhibit
    heads: Sequence[str]
    rows: Sequence[RowShown]
    notes: Sequence[str]
    answers: Sequence[str]


@dataclass
class Footnotes:
    """Footnotes, numbered from 1; each reason occurs once."""

    reasons: list[str] = field(default_factory=list)

    def number(self, why: str) -> int | None:
        if not why:
            return None
        if why not in self.reasons:
            self.reasons.append(why)
        return self.reasons.index(why) + 1


def write_reproduction(papers: Sequence[ReproducedPaper], path: Path, database: Path) -> Path:
    """Write the page and return its path. Raises UsageError if the file cannot be written."""
    html = environment().get_template("reproduction.html").render(
        papers=[
            {
                "paper": paper.reproduction.paper,
                "of": paper.reproduction,
                "words": summary(paper),
                "exhibits": exhibits_shown(paper),
            }
            for paper in papers
        ],
        written_at=datetime.now(UTC),
        version=version("newwiki-eval"),
        **assets(),
    )  # fmt: skip
    return write_page(html, safe(path, database))


def exhibits_shown(done: ReproducedPaper) -> list[ExhibitShown]:
    """Return all exhibits of the paper, with and without numbers."""
    return [_exhibit(done, exhibit) for exhibit in done.reproduction.paper.exhibits]


def _exhibit(done: ReproducedPaper, exhibit: Exhibit) -> ExhibitShown:
    notes = Footnotes()
    by_row: dict[int, dict[str, Match]] = {}
    for match in done.matches:
        if match.exhibit.name == exhibit.name:
            by_row.setdefault(match.row, {})[match.number.metric.title] = match
    rows = [_row(row, by_row.get(place, {}), exhibit.columns, notes) for place, row in enumerate(exhibit.rows)]
    metrics = [done.reproduction.paper.metric(title) for title in exhibit.columns]
    heads = [f"{metric.title} ({metric.unit})" if metric.unit else metric.title for metric in metrics]
    answers = [
        _answer(task, outcome) for task, outcome in done.tasks if exhibit.name in task.exhibits and task.experiment
    ]
    return ExhibitShown(exhibit, heads, rows, notes.reasons, answers)


def _row(row: Row, matches: dict[str, Match], columns: Sequence[str], notes: Footnotes) -> RowShown:
    whose = dict.fromkeys(match.ours.whose for match in matches.values() if match.ours)
    labels = [f"{name}: {value}" for name, value in row.labels.items()]
    decoder = [short_form(row.decoder)] if row.decoder else []
    against = [f"against {short_form(row.against)}"] if row.against else []
    about = ", ".join([*decoder, *against, *labels])
    cells = [_cell(matches[title], notes) if title in matches else None for title in columns]
    return RowShown(row.model, about, ", ".join(whose) or "–", cells)


def _cell(match: Match, notes: Footnotes) -> Cell:
    spread = "" if match.number.spread is None else f" (spread {digits(match.number.spread)})"
    published = f"{digits(match.number.value)}{spread}"
    note = notes.number(match.why)
    if match.ours is None:
        return Cell(published, standing=match.standing, note=note)
    tone = _TONES.get(match.standing, "")
    return Cell(published, digits(match.ours.value), interval(match), match.standing, tone, note)


def _answer(task: Task, outcome: Outcome) -> str:
    if outcome.failed:
        return f"{task.name} failed: {outcome.failed}"
    return f"{task.name}: {outcome.verdict} (answer {outcome.answer})"
