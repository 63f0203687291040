"""`newwiki gate`: a check for continuous integration."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from flows.jobs.job import Answer, Here, job, rows_answer
from flows.presenting import tables
from flows.printing import say
from newwiki.comparison_requests import GateRequest
from newwiki.errors import UsageError
from newwiki.fields import field

if TYPE_CHECKING:
    from flows.comparing.bounds import Doubt, GateResult
    from storage.run_names import Contender

_HEADS = ["fails if", "baseline", "candidate", "difference [95 %]", "outcome"]
_MARKS = {"failed": "❌ failed", "passed": "✅ passed"}
_UNSURE = {True: "❔ failed, as not sure", False: "❔ passed, but not surely"}


@job(
    GateRequest,
    group="compare",
    summary="Fail if a candidate is worse than its baseline.",
    examples=(
        "newwiki gate --baseline gpt2/greedy --candidate mine/greedy --fail-if 'sbert<-0.01'",
        "newwiki gate --baseline gpt2/greedy --candidate mine/greedy --max-loss 0.02",
    ),
    result="""\
Returns a row for each bound. `outcome` is `failed`, `passed` or `not sure`; a failure raises nothing. `prompts_needed`
is the number of prompts with which the bound surely passes in four of five cases if the runs do not differ.""",
)
def gate(
    request: GateRequest,
    here: Here,
    *,
    summary: Path | None = field(
        None,
        "File to append the result to, in Markdown (default: GITHUB_STEP_SUMMARY, which GitHub shows).",
        writes="file",
        shell_only=True,
    ),
) -> Answer:
    """Exit with status 1 if the candidate differs from the baseline by more than the bounds allow.

    A bound limits the mean difference by prompt, candidate minus baseline. The gate fails if the whole 95 % interval of
    the difference lies beyond the bound, and passes if the whole interval lies within it. Where the interval contains
    the bound, --unless-sure says what to do. With too few prompts for an interval the gate fails, unless --unless-sure
    allows it. --max-loss 0.02 fails unless the candidate is surely not worse by more than 0.02. The intervals of all
    metrics hold jointly (Bonferroni). RUN is named as for `newwiki compare`.
    """
    from flows.comparing.bounds import COLUMNS, bounds_of, doubts, judge
    from storage.comparison import contenders

    database = here.database
    noted: list[str] = []
    names = [request.baseline, request.candidate]
    baseline, candidate = contenders(database, names, snapshot=request.snapshot, note=noted.append)
    bounds = bounds_of(database, baseline, candidate, request.fail_if, request.max_loss)
    results, notes = judge(database, baseline, candidate, bounds)
    notes = [*noted, *notes, *doubts(results)]
    title, cells = _title(baseline, candidate), [_cells(result, request.doubt) for result in results]
    failed = [_named(result) for result in results if result.fails(request.doubt)]
    unsure = [str(result.bound) for result in results if result.outcome == "not sure"]
    bounds_answer = rows_answer(
        here,
        COLUMNS,
        [result.row for result in results],
        notes,
        show=lambda form: tables.show(_HEADS, cells, form, title),
    )

    def show(form: str) -> None:
        bounds_answer.show(form)
        markdown = [f"### {title}\n", tables.markdown(_HEADS, cells), *(f"- {note}" for note in notes), ""]
        for path in filter(None, [summary, _github_summary()]):
            _append(path, database.path, "\n".join(markdown))
        if failed:
            say(f"newwiki: gate failed: {', '.join(failed)}", err=True)
        elif unsure and request.doubt != "pass":
            say(f"newwiki: gate passed, but not surely: {', '.join(unsure)}", err=True)

    return Answer(bounds_answer.value, show, status=1 if failed else 0)


def _title(baseline: "Contender", candidate: "Contender") -> str:
    return f"{candidate.words} ({candidate.run_id}) against {baseline.words} ({baseline.run_id})"


def _named(result: "GateResult") -> str:
    return f"{result.bound} (not sure)" if result.outcome == "not sure" else str(result.bound)


def _cells(result: "GateResult", doubt: "Doubt") -> list[str]:
    from flows.comparing.shown_levels import leveled

    row = result.difference
    means = leveled(f"{row.mean_a:.4g}", row.level_a), leveled(f"{row.mean_b:.4g}", row.level_b)
    interval = f"{row.difference:+.4g} [{row.no_interval or f'{row.low:+.4g}, {row.high:+.4g}'}]"
    mark = _MARKS.get(result.outcome) or _UNSURE[result.fails(doubt)]
    return [str(result.bound), *means, interval, mark]


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
        raise UsageError(f"cannot write the summary to '{path}': {error.strerror}") from error
