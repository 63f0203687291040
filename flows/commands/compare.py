"""`newwiki compare`: whether runs differ, metric by metric, on the prompts that they have in common."""

from dataclasses import astuple, fields
from typing import TYPE_CHECKING

import click

from flows import tables
from flows.options import common, form_option, open_database
from flows.progress import reporter
from flows.tables import digits
from newwiki.errors import UsageError
from newwiki.settings import Settings

if TYPE_CHECKING:
    from flows.steps.compare import Difference
    from storage.comparison import Contender

_TITLE = "differences of prompt means [95 % interval], sign-flip p after Holm; power 80 % at 5 %"


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN_A RUN_B...")
@click.option(
    "--metrics", default="all", show_default=True, metavar="all|NAME,…", help="The fewer, the less it takes to differ."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the bootstrap and of the sign flips.")
@common
@form_option
def compare(settings: Settings, quiet: bool, form: str, runs: tuple[str, ...], metrics: str, seed: int) -> None:
    """Tell whether runs differ from the first one, by each metric that the same evaluator gave to both.

    RUN is the beginning of a run's id, or the end of MODEL/DECODER, such as gpt2/greedy or only greedy. A snapshot's
    articles are reference:SNAPSHOT.
    """
    from flows.steps import compare as step
    from storage.comparison import contenders

    if len(runs) < 2:
        raise UsageError("name two runs or more; `newwiki leaderboard` lists them")
    database = open_database(settings)
    first, *others = contenders(database, runs)
    if len({first, *others}) <= len(others):
        raise UsageError("two of these names mean the same run; `newwiki leaderboard` lists the runs")
    compared = [step.compare(database, first, other, step.wanted_metrics(metrics), seed) for other in others]
    if form in ("csv", "json"):
        columns = [field.name for field in fields(step.Difference)]
        tables.show(columns, [astuple(row) for rows, _ in compared for row in rows], form)
    else:
        for other, (rows, _) in zip(others, compared, strict=True):
            tables.show(_heads(first, other), [_cells(row) for row in rows], form, _TITLE)
    for note in dict.fromkeys(note for _, notes in compared for note in notes):
        reporter(quiet).note(note)


def _heads(a: "Contender", b: "Contender") -> list[str]:
    """The runs stand over their means."""
    runs = [
        "\n".join([f"{name}: {run.run_id}", run.model, *run.short.split(",")]) for name, run in (("A", a), ("B", b))
    ]
    return ["metric", *runs, "B − A", "p", "effect (d_z)", "verdict", "prompts", "visible from", "to see this"]


def _cells(row: "Difference") -> list[str | int]:
    interval = "" if row.low is None or row.high is None else f" [{digits(row.low)}, {digits(row.high)}]"
    return [
        row.metric,
        digits(row.mean_a),
        digits(row.mean_b),
        f"{'+' * (row.difference >= 0)}{digits(row.difference)}{interval}",
        "< 0.001" if row.p_holm < 0.001 else f"{row.p_holm:.3f}",
        "–" if row.effect_size is None else f"{row.effect_size:+.2f}",
        row.verdict,
        row.prompts,
        "–" if row.smallest_visible is None else digits(row.smallest_visible),
        _in_words(row),
    ]


def _in_words(row: "Difference") -> str:
    """`about 1,200 prompts`, where the difference could not be seen."""
    if row.verdict == "different" or row.prompts_needed is None:
        return "–"
    return "over a million prompts" if row.prompts_needed > 1e6 else f"about {_rounded(row.prompts_needed):,} prompts"


def _rounded(prompts: float) -> int:
    """To two digits: it is a guess."""
    return int(float(f"{prompts:.2g}"))
