"""Measure how many entities a text names, and how many of them the article also names."""

from collections.abc import Iterable

from evaluators.analysis import Analysis
from evaluators.scales import amount, ratio
from evaluators.sentences import split_sentences
from newwiki.records import Unscorable
from newwiki.registry import evaluator
from newwiki.text.sentences import SENTENCES_VERSION


@evaluator(
    metrics=[
        ratio(
            "information_density",
            "mentions of named entities / words and punctuation marks",
            "New-Wiki Eval paper, eq. 5",
        )
    ],
    version="1",
    needs={"entities"},
    core=True,
)
def information_density(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Compute mentions of entities over tokens, from 0 to 1; higher says more.

    Source: New-Wiki Eval paper, eq. 5. Its "words" are interpreted as spaCy's tokens, including punctuation marks,
    which comes nearest to its 0.111 for Wikipedia (over words alone it would be about 0.14). Pitfall: it counts
    mentions, true or not, so a list of names scores high.
    """
    if analysis.wordless:
        return Unscorable("no words")
    return len(analysis.named()) / analysis.tokens


@evaluator(
    metrics=[
        ratio(
            "entity_overlap",
            "entities in both texts / entities in either, each counted once",
            "New-Wiki Eval paper, eq. 6 (Jaccard index)",
        )
    ],
    version="1",
    needs={"entities"},
    core=True,
)
def entity_overlap(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Compute |E1 ∩ E2| / |E1 ∪ E2| over the sets of entities, from 0 to 1; higher names more of the article's
    entities.

    Entities are compared without regard to case and white space. Source: New-Wiki Eval paper, eq. 6. Pitfalls: other
    forms of a name count as other entities, and a generation much shorter or longer than the article cannot score high;
    the paper's own numbers for repetitive text are higher than this formula can give.
    """
    if reason := analysis.wordless_beside(reference):
        return reason
    own, theirs = surface_forms(analysis.named()), surface_forms(reference.named())
    if not own | theirs:
        return Unscorable("no entities in either text")
    return len(own & theirs) / len(own | theirs)


@evaluator(
    metrics=[
        ratio(
            "entity_precision",
            "entities in both texts / entities in the text, each counted once",
            "the sets of New-Wiki Eval paper, eq. 6",
        )
    ],
    version="1",
    needs={"entities"},
)
def entity_precision(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Compute |E1 ∩ E2| / |E1|, the share of a text's entities that the article also names, from 0 to 1; higher is
    closer.

    The sets are those of `entity_overlap`, which it is never below. Source: the paper's eq. 6 with another denominator,
    which its numbers for repetitive text suggest. Pitfalls: a text that repeats one right name scores 1; what the
    article does not name need not be wrong.
    """
    if reason := analysis.wordless_beside(reference):
        return reason
    own, theirs = surface_forms(analysis.named()), surface_forms(reference.named())
    return len(own & theirs) / len(own) if own else Unscorable("no entities in the text")


@evaluator(
    metrics=[
        ratio(
            "entity_recall",
            "entities in both texts / entities in the article, each counted once",
            "the sets of New-Wiki Eval paper, eq. 6",
        )
    ],
    version="1",
    needs={"entities"},
)
def entity_recall(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Compute |E1 ∩ E2| / |E2|, the share of the article's entities that a text also names, from 0 to 1; higher is
    closer.

    The sets are those of `entity_overlap`, which it is never below. Source: the paper's eq. 6 with another denominator.
    Pitfall: it rises with the length of the text, and a list of all names there are would score 1.
    """
    if reason := analysis.wordless_beside(reference):
        return reason
    own, theirs = surface_forms(analysis.named()), surface_forms(reference.named())
    return len(own & theirs) / len(theirs) if theirs else Unscorable("no entities in the reference")


@evaluator(
    metrics=[
        amount(
            "entities_per_sentence",
            "mentions a sentence",
            "mentions of named entities / sentences",
            "Massarelli et al. 2020, table 4 (#entities)",
        )
    ],
    version="1",
    needs={"entities"},
    parameters={"sentences": SENTENCES_VERSION},
)
def entities_per_sentence(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Compute mentions of entities per sentence, 0 and up (2 to 3 in the paper); higher says more.

    Source: Massarelli et al. 2020, How decoding strategies affect the verifiability of generated text, table 4. The
    paper takes entities and sentences from spaCy and does not define repetitions or whether it averages over sentences
    or texts: here every mention counts, sentences are `split_sentences`, and a text counts once. Pitfall: long
    sentences hold more entities, so look at words / sentences too.
    """
    if analysis.wordless:
        return Unscorable("no words")
    sentences = split_sentences(analysis.text, analysis.language)
    return len(analysis.named()) / len(sentences) if sentences else Unscorable("no sentence end")


def surface_forms(entities: Iterable[str]) -> set[str]:
    """Return the distinct entities, without regard to case and white space."""
    return {" ".join(entity.casefold().split()) for entity in entities}
