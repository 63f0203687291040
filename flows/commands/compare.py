"""`newwiki compare`: tests whether runs differ, metric by metric, on the prompts that they share."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from flows.commands import gate
from flows.jobs.job import Answer, Here, job, rows_answer
from flows.presenting import tables
from flows.presenting.numbers import NONE, digits, estimate, fixed, p_value, signed
from flows.printing import say
from newwiki.comparison_requests import ComparisonRequest, GateRequest
from newwiki.errors import UsageError
from newwiki.fields import field
from newwiki.settings import GATE
from newwiki.visible import in_markdown

if TYPE_CHECKING:
    from flows.comparing.difference import Difference
    from storage.run_names import Contender

WORSE = "worse"  # the bounds that allow no difference for the worse
_LEGEND = (
    "means are over prompts; p is paired by prompt, with Holm's correction for the metrics of this pair of runs; "
    "verdicts generalize over prompts and hold for these runs only"
)
_LEGEND_OF_ALL = (
    "d_z is the effect size; `visible` is the smallest difference that these prompts can show; `to see this` is the "
    "number of prompts that would show the measured difference, by the 80 % interval of d_z (power 80 % at 5 %, after "
    "the correction)"
)
_FEW = 6  # columns that fit into 80 characters; --format markdown shows all


@job(
    ComparisonRequest,
    group="compare",
    summary="Test which differences between runs are significant.",
    examples=(
        "newwiki compare gpt2/greedy gpt2/sample:top_p=0.9",
        "newwiki compare gpt2/greedy reference:enwiki-2026-09 --metrics sbert",
        "newwiki compare gpt2/greedy mine/greedy --fail-if 'sbert<-0.01'",
    ),
    result="""\
Returns a row for each run and metric, with the columns of `flows.comparing.difference.Difference`; with `fail_if` a row
for each bound, as `gate` does.""",
)
def compare(
    request: ComparisonRequest,
    here: Here,
    *,
    summary: Path | None = field(
        None,
        "File to append the result of --fail-if to, in Markdown (default: GITHUB_STEP_SUMMARY, which GitHub shows).",
        writes="file",
        shell_only=True,
        group=GATE,
    ),
) -> Answer:
    """Test whether runs differ from the first run, by each metric that the same evaluator computed for both.

    Runs with different protocols (max_new_tokens, samples, keep, template, stop or chat) are not compared, unless
    --across names every setting that differs. RUN is the beginning of a run's id, or the end of MODEL/DECODER, such as
    gpt2/greedy or only greedy. The articles of a snapshot are reference:SNAPSHOT. --by compares the runs on each part
    of the snapshot, with one correction for all tests.

    A name that several runs have means the run on the newest snapshot that all named runs have in common.

    The first line is the verdict by all metrics together, as `newwiki verdict` gives it. --format markdown, csv and
    json also have the effect size and the number of prompts that would show the difference.

    With --fail-if or --max-loss the second run is a candidate, and the command checks bounds on its difference from the
    first, metric by metric, for continuous integration. --fail-if fails if the whole 95 % interval of a difference lies
    beyond its bound, --max-loss unless the whole interval lies within it. The intervals of all metrics hold jointly
    (Bonferroni).
    """
    if request.is_gate:
        baseline, candidate = request.runs
        gated = GateRequest(
            baseline=baseline,
            candidate=candidate,
            fail_if=None if request.fail_if == WORSE else request.fail_if,
            max_loss=request.max_loss,
            unless_sure=request.unless_sure,
            snapshot=request.snapshot,
        )
        return gate.gate.run(gated, here, summary=summary)
    if summary:
        raise UsageError("--summary needs --fail-if or --max-loss: it takes the outcome of the bounds")
    from flows.comparing.difference import columns
    from flows.comparing.differences import compare_all
    from flows.comparing.overall_verdict import better_directions, metric_outcomes, overall
    from flows.presenting.verdict_sentence import verdict_sentence

    compared = compare_all(here.database, request)
    heads = columns(request.by)
    notes = [note for *_, notes in compared for note in notes]
    directions = better_directions(here.database, [row.metric for _, _, rows, _ in compared for row in rows])

    def show(form: str) -> None:
        for first, other, rows, _ in compared:
            outcomes = metric_outcomes(rows, directions)
            show_sentence(verdict_sentence(overall(other, first, outcomes), other, first), form)
            shown = [*(["part"] if request.by else []), *_heads(first, other, form)]
            cells = [[*([row.part] if request.by else []), *_cells(row, directions, form)] for row in rows]
            tables.show(shown, cells, form, _title(first, other))
        here.note([_LEGEND, *([] if form == "table" else [_LEGEND_OF_ALL])])

    records = [[getattr(row, name) for name in heads] for _, _, rows, _ in compared for row in rows]
    return rows_answer(here, heads, records, notes, show=show)


def show_sentence(sentence: str, form: str) -> None:
    """Write a verdict above its table."""
    from flows.presenting.table_layout import wrapped

    if form == "markdown":
        say(f"**{in_markdown(sentence)}.**\n")
        return
    for line in wrapped(f"{sentence}.", tables.room()):
        say(line)
    say()


def _title(a: "Contender", b: "Contender") -> str:
    return f"A: {a.run_id} {a.words}\nB: {b.run_id} {b.words}"


def _heads(a: "Contender", b: "Contender", form: str) -> list[str]:
    is_table = form == "table"
    runs = ["A", "B"] if is_table else [f"A: {a.run_id} {a.words}", f"B: {b.run_id} {b.words}"]
    heads = ["metric", *runs, "B − A [95 %]", "p", "B is", "prompts", "d_z", "visible", "to see this"]
    return heads[:_FEW] if is_table else heads


def _cells(row: "Difference", directions: Mapping[str, str], form: str) -> list[str | int]:
    from flows.comparing.overall_verdict import outcome_of
    from flows.comparing.shown_levels import leveled

    cells: list[str | int] = [
        row.metric,
        leveled(digits(row.mean_a), row.level_a),
        leveled(digits(row.mean_b), row.level_b),
        estimate(row.difference, row.low, row.high, signed, row.no_interval),
        p_value(row.p_holm),
        outcome_of(row, directions[row.metric]),
        row.prompts,
        NONE if row.effect_size is None else fixed(row.effect_size, 2, signed=True),
        digits(row.smallest_visible),
        _prompts_needed(row),
    ]
    return cells[:_FEW] if form == "table" else cells


def _prompts_needed(row: "Difference") -> str:
    """Return `70 to 1,200 prompts` where the prompts were too few to show the difference."""
    least, most = row.prompts_needed_low, row.prompts_needed_high
    if row.verdict == "different" or least is None:
        return NONE
    if least > 1e6:
        return "over a million prompts"
    upper = "prompts or more" if most is None or most > 1e6 else f"to {_rounded(most):,} prompts"
    return f"{_rounded(least):,} {upper}"


def _rounded(prompts: float) -> int:
    """Round to two digits, because the number is an estimate."""
    return int(float(f"{prompts:.2g}"))
