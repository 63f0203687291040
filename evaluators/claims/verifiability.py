"""Compute the metrics of Massarelli et al. 2020 for how much of a text is supported, from labels and evidence."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluators.claims.claim import Label

SENTENCES = 5  # k: the number of checked sentences per text


@dataclass(frozen=True, kw_only=True)
class CheckedSentence:
    """The label of a sentence, and the decisive evidence as page title and sentence number."""

    label: Label
    evidence: tuple[str, int] | None


@dataclass(frozen=True, kw_only=True)
class Support:
    """The metrics of one text, from 0 to 1, higher is better; None if no sentence was verified."""

    spg: float
    spv: float | None
    uspg: float
    uspv: float | None


def support(checked: Sequence[CheckedSentence], sentences: int = SENTENCES) -> Support:
    """Compute the support of the first k = `sentences` of a text.

    With S the supported sentences, V the verified ones (supported or refuted), and Sᵤ, Vᵤ the same with sentences of
    one label and one evidence counted once: SPG = |S| / k, SPV = |S| / |V|, USPG = |Sᵤ| / k, USPV = |Sᵤ| / |Vᵤ|. A text
    with fewer than k sentences is also divided by k, as in the equations.

    Source: Massarelli et al. 2020, How decoding strategies affect the verifiability of generated text, section 4,
    equations 2 to 5; this is the part that is averaged over prefixes. The equations do not define 0 / 0; here a text
    without a verified sentence has no SPV and no USPV, and averages must state how many such texts there were.
    """
    first = checked[:sentences]
    verified = [sentence for sentence in first if sentence.label != "not enough info"]
    unique = set(verified)  # by label and evidence
    supported, unique_supported = _supported(verified), _supported(list(unique))
    return Support(
        spg=supported / sentences,
        spv=supported / len(verified) if verified else None,
        uspg=unique_supported / sentences,
        uspv=unique_supported / len(unique) if unique else None,
    )


def _supported(checked: Sequence[CheckedSentence]) -> int:
    return sum(sentence.label == "supported" for sentence in checked)
