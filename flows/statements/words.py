"""State in sentences what was found."""

from collections import Counter
from collections.abc import Sequence

from flows.presenting.numbers import counted
from flows.statements.numbers import Numbers
from flows.statements.result_tables import StatementVerdict
from flows.statements.statement import paper
from flows.statements.testing import NEEDS_RUNS
from flows.statements.verdicts import FAILS, HOLDS, UNKNOWN

_TOLD = 4  # statements in a sentence


def verdict(verdicts: Sequence[StatementVerdict]) -> str:
    """Return the counts of verdicts, such as `of 60 statements 12 hold, 3 do not hold, of 45 it cannot be told`."""
    counts = Counter(row.verdict for row in verdicts)
    return (
        f"of {len(verdicts)} statements {counts[HOLDS]} {'holds' if counts[HOLDS] == 1 else 'hold'}, {counts[FAILS]} "
        f"{'does' if counts[FAILS] == 1 else 'do'} not hold, of {counts[UNKNOWN]} it cannot be told"
    )


def sentence(verdicts: Sequence[StatementVerdict], models: Sequence[str]) -> str:
    """Return the answer in one sentence about these models."""
    counts = Counter(row.verdict for row in verdicts)
    who = ", ".join(models) if len(models) <= _TOLD else f"{len(models)} models"
    return (
        f"Of {len(verdicts)} statements of the paper, {counts[HOLDS] or 'none'} "
        f"{'holds' if counts[HOLDS] < 2 else 'hold'} for {who} and {counts[FAILS] or 'none'} "
        f"{'is' if counts[FAILS] < 2 else 'are'} shown not to hold; of {counts[UNKNOWN]} it cannot be told"
    )


def words(verdicts: Sequence[StatementVerdict], numbers: Numbers) -> list[str]:
    """Return sentences about the failed statements, the reasons why others cannot be told, and the unit of effects."""
    sentences = [f"it rests on {counted(len(numbers.written), 'run')} and {counted(len(numbers.pages), 'article')}"]
    if fails := [row for row in verdicts if row.verdict == FAILS]:
        more = f"; and {len(fails) - _TOLD} more" if len(fails) > _TOLD else ""
        sentences.append(f"does not hold: {'; '.join(row.says for row in fails[:_TOLD])}{more}")
    sentences += [f"{count} cannot be told: {why}" for why, count in _reasons(verdicts).most_common()]
    margins = paper().margins
    sentences.append(
        "effects are in standard deviations of texts (sd), in the logarithm of a standard deviation (ln sd) or "
        f"correlations (r); up to {margins['nothing']:g}, {margins['nothing_of_spread']:g} and "
        f"{margins['nothing_of_correlation']:g} is no effect, up to {margins['small']:g} sd a small one, from "
        f"{margins['large']:g} sd a large one"
    )
    return sentences


def _reasons(verdicts: Sequence[StatementVerdict]) -> Counter[str]:
    """Count the reasons; statements that lack runs of models share one reason, because each row names its models."""
    whys = [row.why for row in verdicts if row.verdict == UNKNOWN and row.why]
    lacking = {name for why in whys if why.startswith(NEEDS_RUNS) for name in why.removeprefix(NEEDS_RUNS).split(", ")}
    named = [model.name for model in paper().models if model.name in lacking]
    together = f"{NEEDS_RUNS}one or more of {', '.join(named)}"
    return Counter(together if why.startswith(NEEDS_RUNS) else why for why in whys)
