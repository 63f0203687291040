"""Measure how many people, places and organizations of the article a text names, each kind by itself."""

from evaluators.analysis import Analysis
from evaluators.information import surface_forms
from evaluators.new_content import mentions_of
from evaluators.scales import ratio
from newwiki.records import Unscorable
from newwiki.registry import evaluator

# The labels of spaCy's pipelines (OntoNotes 5; WikiNER; the National Corpus of Polish) and of GLiNER, in lower case.
KINDS = {
    "people": frozenset({"person", "per", "persname"}),
    "places": frozenset({
        "gpe", "loc", "fac", "placename", "geogname", "country or city", "location", "building or infrastructure",
    }),
    "organizations": frozenset({"org", "orgname", "organization"}),
}  # fmt: skip
UNTYPED = "ENTITY"  # the only label of rules-v1
_NO_KINDS = Unscorable(
    "the tagger tells no kinds of entities apart; choose a pipeline, such as --entities spacy:en_core_web_sm"
)


def _overlap(kind: str) -> str:
    return f"entity_overlap_{kind}"


@evaluator(
    metrics=[
        ratio(
            _overlap(kind),
            f"{kind} in both texts / {kind} in either, each counted once",
            "New-Wiki Eval paper, eq. 6 (Jaccard index), of the entities of one kind",
        )
        for kind in KINDS
    ],
    version="1",
    needs={"mentions"},
    parameters={"kinds": {kind: sorted(labels) for kind, labels in KINDS.items()}},
)
def entity_kinds(analysis: Analysis, reference: Analysis) -> dict[str, float | Unscorable]:
    """Compute |E1 ∩ E2| / |E1 ∪ E2| over the sets of people, of places and of organizations, each from 0 to 1; higher
    names more of the article's.

    The kinds are those that the pipeline gives: PERSON, PER or persName for people; GPE, LOC, FAC, placeName or
    geogName for places; ORG or orgName for organizations. Entities are compared as in `entity_overlap`. A tagger that
    tells no kinds apart, such as rules-v1, gives no number. Source: New-Wiki Eval paper, eq. 6, by kind. Pitfalls:
    those of `entity_overlap`; a pipeline may give the same name different kinds in two texts; few articles name many
    organizations, so look at the number of texts.
    """
    if reason := analysis.wordless_beside(reference):
        return dict.fromkeys(map(_overlap, KINDS), reason)
    if any(mention.label == UNTYPED for text in (analysis, reference) for mention in mentions_of(text)):
        return dict.fromkeys(map(_overlap, KINDS), _NO_KINDS)
    return {_overlap(kind): _of_kind(kind, analysis, reference) for kind in KINDS}


def _of_kind(kind: str, analysis: Analysis, reference: Analysis) -> float | Unscorable:
    own, theirs = (
        surface_forms(
            text.text[mention.start : mention.end]
            for mention in mentions_of(text)
            if mention.label.lower() in KINDS[kind]
        )
        for text in (analysis, reference)
    )
    return len(own & theirs) / len(own | theirs) if own | theirs else Unscorable(f"no {kind} in either text")
