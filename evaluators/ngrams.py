"""How varied and how repetitive the words of a text are. Words are split at white space and keep their case."""

from evaluators.analysis import Analysis
from newwiki.records import Metric, Unscorable
from newwiki.registry import evaluator


@evaluator(
    metrics=[
        Metric(
            "distinct_2",
            unit="ratio",
            minimum=0.0,
            maximum=1.0,
            direction="higher",
            definition="different word bigrams / words",
            source="Li et al. 2016; New-Wiki Eval paper, eq. 3",
        )
    ],
    version="1",
    core=True,
)
def distinct_2(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Different word bigrams over words, from 0 to below 1, higher is more varied.

    Source: Li et al. 2016, A diversity-promoting objective function; New-Wiki Eval paper, eq. 3. Pitfalls: it falls
    with length, so compare texts of like length; real articles score about 0.87, not the 0.69 that the paper reports,
    which bigrams of words over words cannot give.
    """
    if analysis.wordless:
        return Unscorable("no words")
    if len(analysis.words) < 2:
        return Unscorable("fewer than two words")
    return len(_different(analysis.words, 2)) / len(analysis.words)


@evaluator(
    metrics=[
        Metric(
            "rep_4",
            unit="ratio",
            minimum=0.0,
            maximum=1.0,
            direction="lower",
            definition="1 - different word 4-grams / word 4-grams",
            source="Welleck et al. 2019; New-Wiki Eval paper, eq. 4",
        )
    ],
    version="1",
    core=True,
)
def rep_4(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """One minus different word 4-grams over all word 4-grams, from 0 to below 1, lower is less repetitive.

    Source: Welleck et al. 2019, Neural text generation with unlikelihood training (seq-rep-4); New-Wiki Eval paper,
    eq. 4. Pitfall: it rises with length, so compare texts of like length.
    """
    if analysis.wordless:
        return Unscorable("no words")
    if len(analysis.words) < 4:
        return Unscorable("fewer than four words")
    return 1 - len(_different(analysis.words, 4)) / (len(analysis.words) - 3)


def _different(words: tuple[str, ...], n: int) -> set[tuple[str, ...]]:
    return set(zip(*(words[start:] for start in range(n)), strict=False))
