"""Compute the n-gram metrics of the first 256 words, which are comparable between texts of any length."""

from evaluators.analysis import Analysis
from evaluators.ngrams import distinct_share, diverse_share, repeated_share
from evaluators.scales import ratio
from newwiki.records import Unscorable
from newwiki.registry import evaluator

_WORDS = 256
_NAMES = ("words", "word bigrams", "word trigrams", "word 4-grams")


@evaluator(
    metrics=[
        *(
            ratio(
                f"distinct_{n}_at_256",
                f"different {_NAMES[n - 1]} / words, of the first {_WORDS} words",
                "Li et al. 2016",
            )
            for n in (1, 2, 3)
        ),
        *(
            ratio(
                f"rep_{n}_at_256",
                f"1 - different {_NAMES[n - 1]} / {_NAMES[n - 1]}, of the first {_WORDS} words",
                "Welleck et al. 2019",
                direction="lower",
            )
            for n in (2, 3, 4)
        ),
        ratio(
            "diversity_at_256",
            f"(1 - rep_2) (1 - rep_3) (1 - rep_4), of the first {_WORDS} words",
            "Su et al. 2022; Li et al. 2022 (contrastive decoding), sec. 5.1",
        ),
    ],
    version="2",
    parameters={"words": _WORDS},
)
def ngrams_at_256(analysis: Analysis, reference: Analysis) -> dict[str, float] | Unscorable:
    """Return every metric of `ngrams` on the first 256 words, split at white space; ranges and directions as there.

    Sources: as there. A text with fewer than 256 words has no score. Pitfalls: the means are over the longer
    texts only, so look at the count beside them; repetition that begins later is not seen.
    """
    if analysis.wordless:
        return Unscorable("no words")
    if len(analysis.words) < _WORDS:
        return Unscorable(f"fewer than {_WORDS} words")
    first = analysis.words[:_WORDS]
    return {
        **{f"distinct_{n}_at_256": distinct_share(first, n) for n in (1, 2, 3)},
        **{f"rep_{n}_at_256": repeated_share(first, n) for n in (2, 3, 4)},
        "diversity_at_256": diverse_share(first),
    }
