"""How much of what a text claims is supported: the metrics of Massarelli et al. 2020, from labels and evidence."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluators.claims.claim import Label

SENTENCES = 5  # k: as many of a text as are checked


@dataclass(frozen=True, kw_only=True)
class CheckedSentence:
    """The label of a sentence and the place of the evidence that decided, as a page's title and sentence."""

    label: Label
    evidence: tuple[str, int] | None


@dataclass(frozen=True, kw_only=True)
class Support:
    """Of one text, from 0 to 1, higher is better; None where no sentence was verified, which has no share."""

    spg: float
    spv: float | None
    uspg: float
    uspv: float | None


def support(checked: Sequence[CheckedSentence], sentences: int = SENTENCES) -> Support:
    """What is supported among the first k = `sentences` of a text.

    With S the supported sentences, V those that are verified (supported or refuted), and of each what is left where
    sentences of one label and one evidence count once (Sᵤ, Vᵤ): SPG = |S| / k, SPV = |S| / |V|, USPG = |Sᵤ| / k,
    USPV = |Sᵤ| / |Vᵤ|. A text with fewer than k sentences is divided by k all the same, as the equations are written.

    Source: Massarelli et al. 2020, How decoding strategies affect the verifiability of generated text, section 4,
    equations 2 to 5, of which this is what is averaged over prefixes. The equations do not say what 0 / 0 is; here a
    text without a verified sentence has no SPV and no USPV, and whoever averages says how many there were.
    """
    first = checked[:sentences]
    verified = [one for one in first if one.label != "not enough info"]
    unique = set(verified)  # of one label and one evidence
    supported, unique_supported = _supported(verified), _supported(list(unique))
    return Support(
        spg=supported / sentences,
        spv=supported / len(verified) if verified else None,
        uspg=unique_supported / sentences,
        uspv=unique_supported / len(unique) if unique else None,
    )


def _supported(checked: Sequence[CheckedSentence]) -> int:
    return sum(one.label == "supported" for one in checked)
