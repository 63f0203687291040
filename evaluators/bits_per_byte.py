"""Measure how many bits the evaluated model needs for an article that it reads, that is, how unexpected it is."""

import math

from newwiki.models.engine.reading_windows import RULE
from newwiki.records import Metric, Passage, Reading, Unscorable
from newwiki.registry import reading_evaluator

_SOURCE = "Gao et al. 2020 (The Pile), section 3.1"


@reading_evaluator(
    metrics=[
        Metric(
            "bits_per_byte",
            unit="bits/byte",
            minimum=0.0,
            maximum=None,
            direction="lower",
            definition="bits that the evaluated model needs for the article after the prompt, by its UTF-8 bytes",
            source=_SOURCE,
        ),
        Metric(
            "bits_per_token",
            unit="bits/token",
            minimum=0.0,
            maximum=None,
            direction="lower",
            definition="the same bits by the tokens that the model's own tokenizer makes of it",
            source=_SOURCE,
            pitfalls="models with different tokenizers cannot be compared by it",
        ),
        Metric(
            "prompt_bits_per_byte",
            unit="bits/byte",
            minimum=0.0,
            maximum=None,
            direction="lower",
            definition="bits that the model needs for the prompt, by its UTF-8 bytes; without the first token and its "
            "bytes where the model has no BOS before it",
            source=_SOURCE,
        ),
    ],
    version="1",
    parameters=RULE,
    core=True,
)
def article_likelihood(reading: Reading) -> dict[str, float | Unscorable]:
    """Compute −Σ log₂ p(token | tokens before) / bytes, from 0; lower means better expected.

    Source: Gao et al. 2020, The Pile, section 3.1: bits per UTF-8 encoded byte, which does not depend on the tokenizer.
    The bytes are those of the text that is read: the space between prompt and rest belongs to the rest. A token that
    spans the border belongs to the prompt. `newwiki.models.engine.reading_windows` defines how long articles are read.
    Pitfall: a model that was trained on the article needs few bits for it, and a longer context needs fewer.
    """
    bits, per_token = _bits(reading.rest)
    return {
        "bits_per_byte": bits,
        "bits_per_token": per_token,
        "prompt_bits_per_byte": _bits(reading.prompt)[0],
    }


def _bits(passage: Passage | Unscorable) -> tuple[float | Unscorable, float | Unscorable]:
    """Return the bits per byte and per token."""
    if isinstance(passage, Unscorable):
        return passage, passage
    if not passage.log_probabilities or not passage.bytes:
        nothing = Unscorable("no token to score")
        return nothing, nothing
    bits = max(-math.fsum(passage.log_probabilities) / math.log(2), 0.0)
    return bits / passage.bytes, bits / len(passage.log_probabilities)
