"""`newwiki gate`: a check for continuous integration."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from flows import tables
from flows.listing import listed
from flows.options import Output, common, form_option, open_database
from flows.printing import say
from flows.progress import reporter
from flows.request_options import asks
from newwiki.errors import UsageError
from newwiki.request import GateRequest
from newwiki.settings import Settings

if TYPE_CHECKING:
    from flows.comparing.bounds import GateResult
    from storage.comparison import Contender

_HEADS = ["fails if", "baseline", "candidate", "difference [95 %]", "outcome"]
_MARKS = {"failed": "❌ failed", "passed": "✅ passed", "not sure": "❔ passed, but not surely"}


@listed(
    "compare",
    "Fail where a candidate is worse than its baseline.",
    example="newwiki gate --baseline gpt2 --candidate mine --fail-if 'sbert<-0.01'",
)
@click.command()
@asks(GateRequest)
@click.option(
    "--summary",
    type=Output(path_type=Path, dir_okay=False),
    help="Add the result to this file in Markdown (GITHUB_STEP_SUMMARY, which GitHub shows).",
)
@common
@form_option
def gate(settings: Settings, quiet: bool, form: str, request: GateRequest, summary: Path | None) -> int:
    """Exit with 1 where the candidate differs from the baseline by more than it may.

    A bound is on the mean difference by prompt, candidate less baseline. It is broken where the whole 95 % interval of
    the difference lies beyond it, and not surely kept where there is no interval; the intervals of all metrics hold
    together (Bonferroni). RUN is named as for `newwiki compare`.
    """
    from flows.comparing.bounds import COLUMNS, judge, parse_bounds
    from storage.comparison import contenders

    bounds = parse_bounds(request.fail_if)
    database = open_database(settings)
    first, second = contenders(database, [request.baseline, request.candidate])
    judgements, notes = judge(database, first, second, bounds)
    title = _title(first, second)
    if form in ("csv", "json"):
        tables.show(COLUMNS, [one.row for one in judgements], form)
    else:
        tables.show(_HEADS, [_cells(one) for one in judgements], form, title)
    table = tables.markdown(_HEADS, [_cells(one) for one in judgements])
    for path in filter(None, [summary, _github_summary()]):
        _append(path, database.path, "\n".join([f"### {title}\n", table, *(f"- {note}" for note in notes), ""]))
    failed = [str(one.bound) for one in judgements if one.outcome == "failed"]
    for note in notes:
        reporter(quiet).note(note)
    if failed:
        say(f"newwiki: the gate is closed: {', '.join(failed)}", err=True)
    return 1 if failed else 0


def _title(baseline: "Contender", candidate: "Contender") -> str:
    return f"{candidate.words} ({candidate.run_id}) against {baseline.words} ({baseline.run_id})"


def _cells(one: "GateResult") -> list[str]:
    from flows.comparing.difference import leveled

    row = one.difference
    means = leveled(f"{row.mean_a:.4g}", row.level_a), leveled(f"{row.mean_b:.4g}", row.level_b)
    interval = f"{row.difference:+.4g} [{row.no_interval or f'{row.low:+.4g}, {row.high:+.4g}'}]"
    return [str(one.bound), *means, interval, _MARKS[one.outcome]]


def _github_summary() -> Path | None:
    named = os.environ.get("GITHUB_STEP_SUMMARY")
    return Path(named) if named else None


def _append(path: Path, database: Path, text: str) -> None:
    from storage.outputs import safe

    safe(path, database)
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"the summary cannot be written to '{path}': {error.strerror}") from error
