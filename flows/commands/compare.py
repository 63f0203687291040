"""`newwiki compare`: whether runs differ, metric by metric, on the prompts that they have in common."""

from typing import TYPE_CHECKING

import click

from flows import tables
from flows.listing import listed
from flows.options import common, form_option, open_database
from flows.presenting.numbers import NONE, digits, estimate, fixed, p_value, signed
from flows.progress import reporter
from flows.request_options import asks
from newwiki.request import ComparisonRequest
from newwiki.settings import Settings

if TYPE_CHECKING:
    from flows.comparing.difference import Difference
    from storage.comparison import Contender

_LEGEND = (
    "means are over prompts, p is paired by prompt and after Holm's correction for the metrics of this pair of runs; "
    "verdicts generalize over prompts, and are about these runs only; d_z is the effect size; `visible` is "
    "the smallest difference that these prompts would show, `to see this` how many would show the one that was found, "
    "by the 80 % interval of d_z (with a power of 80 % at 5 %, after the correction)"
)


@listed(
    "compare",
    "Tell which differences between runs are real.",
    example=(
        "newwiki compare gpt2/greedy sample:top_p=0.9",
        "newwiki compare greedy reference:enwiki-2026-09 --metrics sbert",
    ),
)
@click.command()
@asks(ComparisonRequest)
@common
@form_option
def compare(settings: Settings, quiet: bool, form: str, request: ComparisonRequest) -> None:
    """Tell whether runs differ from the first one, by each metric that the same evaluator gave to both.

    Runs that were asked otherwise (other max_new_tokens, samples, keep, template, stop or chat) are not compared,
    unless --across names every setting in which they differ. RUN is the beginning of a run's id, or the end of
    MODEL/DECODER, such as gpt2/greedy or only greedy. A snapshot's articles are reference:SNAPSHOT. --by compares them
    on each part of the snapshot, with one correction for all tests, --after-cutoff on what neither model can have seen.
    """
    from flows.comparing.difference import columns
    from flows.comparing.differences import compare_all

    compared = compare_all(open_database(settings), request)
    if form in ("csv", "json"):
        heads = columns(request.by)
        tables.show(heads, [[getattr(row, name) for name in heads] for _, _, rows, _ in compared for row in rows], form)
    else:
        for first, other, rows, _ in compared:
            heads = [*(["part"] if request.by else []), *_heads(first, other, form)]
            cells = [[*([row.part] if request.by else []), *_cells(row)] for row in rows]
            tables.show(heads, cells, form, _title(first, other))
        reporter(quiet).note(_LEGEND)
    for note in dict.fromkeys(note for *_, notes in compared for note in notes):
        reporter(quiet).note(note)


def _title(a: "Contender", b: "Contender") -> str:
    return f"A: {a.run_id} {a.words}\nB: {b.run_id} {b.words}"


def _heads(a: "Contender", b: "Contender", form: str) -> list[str]:
    runs = ["A", "B"] if form == "table" else [f"A: {a.run_id} {a.words}", f"B: {b.run_id} {b.words}"]
    return ["metric", *runs, "B − A [95 %]", "p", "d_z", "verdict", "prompts", "visible", "to see this"]


def _cells(row: "Difference") -> list[str | int]:
    from flows.comparing.difference import leveled

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
        _in_words(row),
    ]


def _in_words(row: "Difference") -> str:
    """`70 to 1,200 prompts`, where the difference could not be seen."""
    least, most = row.prompts_needed_low, row.prompts_needed_high
    if row.verdict == "different" or least is None:
        return NONE
    if least > 1e6:
        return "over a million prompts"
    return (
        f"{_rounded(least):,} {'prompts or more' if most is None or most > 1e6 else f'to {_rounded(most):,} prompts'}"
    )


def _rounded(prompts: float) -> int:
    """To two digits: it is a guess."""
    return int(float(f"{prompts:.2g}"))
