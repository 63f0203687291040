"""Measure what a text adds to its prompt: closeness to the article and entities, without the text's copied spans."""

from collections.abc import Set

from evaluators.analysis import Analysis
from evaluators.copied_spans import SPAN_PARAMETERS, marked_words
from evaluators.counts import terms
from evaluators.information import surface_forms
from evaluators.scales import cosine, ratio
from evaluators.semantic import inner_product
from evaluators.tagger import Mention
from newwiki.records import Unscorable
from newwiki.registry import evaluator

_SETS = "the sets of New-Wiki Eval paper, eq. 6, without what the prompt says"


@evaluator(
    metrics=[
        cosine(
            "sbert_new",
            "inner product of the unit embeddings of article and text without its spans of five or more words that "
            "also occur in the prompt or earlier in the text; 0 if nothing else is there",
            "Reimers and Gurevych 2019; New-Wiki Eval",
        )
    ],
    version="1",
    needs={"embedding", "new_embedding"},
    parameters=SPAN_PARAMETERS,
    core=True,
    across_languages=True,
)
def sbert_new(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return `sbert` of what is new in a text, from -1 to 1, higher is closer to the article.

    The text is embedded without its copied spans (`prompt_copied`), the article as a whole. A text that consists of
    copied spans has nothing new: it scores 0, the cosine of unrelated texts, rather than NULL, which would leave it out
    of its run's mean. The score is NULL only where `sbert` is. A text without copied spans has the number of `sbert`.
    Source: Reimers and Gurevych 2019, Sentence-BERT; New-Wiki Eval. Pitfalls: a remainder of a few words still scores
    if they name the article's subject, so look at `prompt_copied` too; a paraphrase of the prompt counts as new.
    """
    if reason := analysis.wordless_beside(reference):
        return reason
    whole = inner_product(analysis.embedded(), reference.embedded())
    if isinstance(whole, Unscorable):
        return whole
    if analysis.part("new_embedding") is None:
        return 0.0
    new = inner_product(analysis.embedded("new_embedding"), reference.embedded())
    return 0.0 if isinstance(new, Unscorable) else new


@evaluator(
    metrics=[
        ratio(
            "entity_recall_new",
            "new entities in both texts / new entities in the article, each counted once; an entity is new if the "
            "prompt does not contain it, and a text names it outside of copied spans",
            _SETS,
        )
    ],
    version="1",
    needs={"mentions"},
    parameters=SPAN_PARAMETERS,
)
def entity_recall_new(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Compute |E1 ∩ E2| / |E2|, the share of the article's new entities that a text also names, from 0 to 1; higher
    names more of them.

    E2 holds the article's entities, in the forms of `entity_overlap`, whose words do not follow each other in the
    prompt. E1 holds those of the text, likewise, that have a mention with a word outside of the text's copied spans
    (`prompt_copied`). A text that only says the prompt again scores 0. Source: the paper's eq. 6 with another
    denominator, without what the prompt says. Pitfalls: it rises with the length of the text; another form of a name,
    such as a surname alone, counts as another entity.
    """
    if reason := analysis.wordless_beside(reference):
        return reason
    own, theirs = _new_entities(analysis), _unprompted(_all_entities(reference), analysis.prompt)
    return len(own & theirs) / len(theirs) if theirs else Unscorable("no new entities in the reference")


@evaluator(
    metrics=[
        ratio(
            "entity_precision_new",
            "new entities in both texts / new entities in the text, each counted once; an entity is new if the prompt "
            "does not contain it, and a text names it outside of copied spans",
            _SETS,
        )
    ],
    version="1",
    needs={"mentions"},
    parameters=SPAN_PARAMETERS,
)
def entity_precision_new(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Compute |E1 ∩ E2| / |E1|, the share of a text's new entities that the article also names, from 0 to 1; higher is
    closer.

    The sets are those of `entity_recall_new`. Source: the paper's eq. 6 with another denominator, without what the
    prompt says. Pitfalls: NULL for a text without new entities, so compare runs by `entity_recall_new` too, which is 0
    there; what the article does not name need not be wrong.
    """
    if reason := analysis.wordless_beside(reference):
        return reason
    own, theirs = _new_entities(analysis), _unprompted(_all_entities(reference), analysis.prompt)
    return len(own & theirs) / len(own) if own else Unscorable("no new entities in the text")


def _all_entities(analysis: Analysis) -> set[str]:
    return surface_forms(analysis.text[mention.start : mention.end] for mention in mentions_of(analysis))


def _new_entities(analysis: Analysis) -> set[str]:
    marked = marked_words(analysis.text, analysis.prompt)
    new = (mention for mention in mentions_of(analysis) if not marked.is_copied(mention.start, mention.end))
    forms = surface_forms(analysis.text[mention.start : mention.end] for mention in new)
    return _unprompted(forms, analysis.prompt)


def _unprompted(entities: Set[str], prompt: str) -> set[str]:
    """Return the entities whose words do not follow each other in the prompt."""
    words = f" {' '.join(terms(prompt))} "
    return {entity for entity in entities if f" {' '.join(terms(entity))} " not in words}


def mentions_of(analysis: Analysis) -> list[Mention]:
    """Return the mentions of a text, which the database stores as lists."""
    return [Mention(*mention) for mention in analysis.part("mentions")]
