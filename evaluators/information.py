"""What a text names: how densely, and how much of it the true article names too."""

from evaluators.analysis import Analysis
from newwiki.records import Metric, Unscorable
from newwiki.registry import evaluator


@evaluator(
    metrics=[
        Metric(
            "information_density",
            unit="ratio",
            minimum=0.0,
            maximum=1.0,
            direction="higher",
            definition="mentions of named entities / words and punctuation marks",
            source="New-Wiki Eval paper, eq. 5",
        )
    ],
    version="1",
    needs={"entities"},
    core=True,
)
def information_density(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Mentions of entities over tokens, from 0 to 1, higher says more.

    Source: New-Wiki Eval paper, eq. 5; its "words" are taken for spaCy's tokens, punctuation marks among them, which
    comes nearest to its 0.111 for Wikipedia (over words alone it would be about 0.14). Pitfall: it counts mentions,
    true or not, so a list of names scores high.
    """
    if analysis.wordless:
        return Unscorable("no words")
    return len(analysis.named()) / analysis.tokens


@evaluator(
    metrics=[
        Metric(
            "entity_overlap",
            unit="ratio",
            minimum=0.0,
            maximum=1.0,
            direction="higher",
            definition="entities in both texts / entities in either, each counted once",
            source="New-Wiki Eval paper, eq. 6 (Jaccard index)",
        )
    ],
    version="1",
    needs={"entities"},
    core=True,
)
def entity_overlap(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """|E1 ∩ E2| / |E1 ∪ E2| over the sets of entities, from 0 to 1, higher names more of what the article names.

    Entities are compared without regard to case and white space. Source: New-Wiki Eval paper, eq. 6. Pitfalls: other
    forms of a name count as other entities, and a generation much shorter or longer than the article cannot score high;
    the paper's own numbers for repetitive text are higher than this formula can give.
    """
    if analysis.wordless:
        return Unscorable("no words")
    if reference.wordless:
        return Unscorable("the reference has no words")
    here, there = _compared(analysis.named()), _compared(reference.named())
    if not here | there:
        return Unscorable("no entities in either text")
    return len(here & there) / len(here | there)


def _compared(entities: tuple[str, ...]) -> set[str]:
    return {" ".join(entity.casefold().split()) for entity in entities}
