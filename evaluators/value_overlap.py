"""Measure how many dates and numbers of the article a text states, compared by value."""

from collections.abc import Set

from evaluators.analysis import Analysis
from evaluators.scales import ratio
from evaluators.values import VALUES_VERSION, languages, tables_sha256, values_of
from newwiki.records import Unscorable
from newwiki.registry import evaluator

_UNKNOWN = "en"  # the language of texts without one, as for the readability metrics


@evaluator(
    metrics=[
        ratio(
            f"entity_overlap_{kind}",
            f"{kind} in both texts / {kind} in either, compared by value and each counted once",
            "New-Wiki Eval paper, eq. 6 (Jaccard index), of values",
        )
        for kind in ("dates", "numbers")
    ],
    version="1",
    parameters={"values": VALUES_VERSION, "tables_sha256": tables_sha256()},
    languages=languages(),
)
def value_overlap(analysis: Analysis, reference: Analysis) -> dict[str, float | Unscorable]:
    """Compute |E1 ∩ E2| / |E1 ∪ E2| over the sets of dates and of numbers, each from 0 to 1; higher states more of the
    article's.

    `evaluators.values` reads them from the text itself, in the same way for every tagger, so no pipeline is
    needed. Values are compared, not spellings: 3 June 2013 is June 3, 2013 and 2013-06-03; 5.2 million is 5,200,000;
    twelve is 12. A month, a year and a day without a year are values of their own. Numbers with a percent sign, a
    currency or a unit differ from bare numbers and from each other. Texts in an unknown language are read as English.
    Source: New-Wiki Eval paper, eq. 6, of values. Pitfalls: the check is whether both texts state a value, not whether
    they say it about the same thing, so small numbers agree by chance; units are not converted; four digits from 1000
    to 2100 without a unit are a year, though 1500 people are none; 2013 and 3 June 2013 are different dates.
    """
    if reason := analysis.wordless_beside(reference):
        return dict.fromkeys(("entity_overlap_dates", "entity_overlap_numbers"), reason)
    own, theirs = (values_of(text.text, text.language or _UNKNOWN) for text in (analysis, reference))
    return {
        "entity_overlap_dates": _overlap("dates", own.dates, theirs.dates),
        "entity_overlap_numbers": _overlap("numbers", own.numbers, theirs.numbers),
    }


def _overlap(kind: str, own: Set[object], theirs: Set[object]) -> float | Unscorable:
    return len(own & theirs) / len(own | theirs) if own | theirs else Unscorable(f"no {kind} in either text")
