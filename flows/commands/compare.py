"""`newwiki compare`: tests whether runs differ, metric by metric, on the prompts that they share."""

from typing import TYPE_CHECKING

from flows.jobs.job import Answer, Here, job, rows_answer
from flows.presenting import tables
from flows.presenting.numbers import NONE, digits, estimate, fixed, p_value, signed
from newwiki.request import ComparisonRequest

if TYPE_CHECKING:
    from flows.comparing.difference import Difference
    from storage.comparison import Contender

_LEGEND = (
    "means are over prompts; p is paired by prompt, with Holm's correction for the metrics of this pair of runs; "
    "verdicts generalize over prompts and hold for these runs only; d_z is the effect size; `visible` is the smallest "
    "difference that these prompts can show; `to see this` is the number of prompts that would show the measured "
    "difference, by the 80 % interval of d_z (power 80 % at 5 %, after the correction)"
)


@job(
    ComparisonRequest,
    group="compare",
    summary="Test which differences between runs are significant.",
    examples=(
        "newwiki compare gpt2/greedy sample:top_p=0.9",
        "newwiki compare greedy reference:enwiki-2026-09 --metrics sbert",
    ),
    result="Returns a row for each run and metric, with the columns of `flows.comparing.difference.Difference`.",
)
def compare(request: ComparisonRequest, here: Here) -> Answer:
    """Test whether runs differ from the first run, by each metric that the same evaluator computed for both.

    Runs with different protocols (max_new_tokens, samples, keep, template, stop or chat) are not compared, unless
    --across names every setting that differs. RUN is the beginning of a run's id, or the end of MODEL/DECODER, such as
    gpt2/greedy or only greedy. The articles of a snapshot are reference:SNAPSHOT. --by compares the runs on each part
    of the snapshot, with one correction for all tests.
    """
    from flows.comparing.difference import columns
    from flows.comparing.differences import compare_all

    compared = compare_all(here.database, request)
    heads = columns(request.by)
    notes = [note for *_, notes in compared for note in notes]

    def show(form: str) -> None:
        for first, other, rows, _ in compared:
            shown = [*(["part"] if request.by else []), *_heads(first, other, form)]
            cells = [[*([row.part] if request.by else []), *_cells(row)] for row in rows]
            tables.show(shown, cells, form, _title(first, other))
        here.note([_LEGEND])

    records = [[getattr(row, name) for name in heads] for _, _, rows, _ in compared for row in rows]
    return rows_answer(here, heads, records, notes, show=show)


def _title(a: "Contender", b: "Contender") -> str:
    return f"A: {a.run_id} {a.words}\nB: {b.run_id} {b.words}"


def _heads(a: "Contender", b: "Contender", form: str) -> list[str]:
    runs = ["A", "B"] if form == "table" else [f"A: {a.run_id} {a.words}", f"B: {b.run_id} {b.words}"]
    return ["metric", *runs, "B − A [95 %]", "p", "d_z", "verdict", "prompts", "visible", "to see this"]


def _cells(row: "Difference") -> list[str | int]:
    from flows.comparing.shown_levels import leveled

    return [
        row.metric,
        leveled(digits(row.mean_a), row.level_a),
        leveled(digits(row.mean_b), row.level_b),
        estimate(row.difference, row.low, row.high, signed, row.no_interval),
        p_value(row.p_holm),
        NONE if row.effect_size is None else fixed(row.effect_size, 2, signed=True),
        row.verdict,
        row.prompts,
        digits(row.smallest_visible),
        _prompts_needed(row),
    ]


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
