"""Measure how close a text is in meaning to the article, and to its prompt."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evaluators.analysis import Analysis
from evaluators.scales import cosine
from newwiki.records import Unscorable
from newwiki.registry import evaluator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@evaluator(
    metrics=[
        cosine(
            "sbert",
            "inner product of the unit embeddings of text and article, each pooled over all its chunks",
            "Reimers and Gurevych 2019; New-Wiki Eval paper, Evaluation Metrics",
        )
    ],
    version="1",
    needs={"embedding"},
    core=True,
    across_languages=True,
)
def sbert(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return the inner product of two unit embeddings, from -1 to 1, higher is closer; unrelated articles give about
    0.1.

    Source: Reimers and Gurevych 2019, Sentence-BERT; New-Wiki Eval paper, "Relevance". Pitfall: embedding a text at
    once, as in the paper, reads only the first 256 tokens and ignores the rest; here every token counts, so the numbers
    are not the paper's.
    """
    return _cosine(analysis, reference, "embedding")


@evaluator(
    metrics=[
        cosine(
            "sbert_truncated",
            "inner product of the unit embeddings of the first chunk of text and article (256 tokens with "
            "all-MiniLM-L6-v2)",
            "Reimers and Gurevych 2019; New-Wiki Eval paper, Evaluation Metrics",
        )
    ],
    version="1",
    needs={"embedding_truncated"},
    across_languages=True,
)
def sbert_truncated(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return the paper's S-BERT, of the beginnings that the model reads at once, from -1 to 1, higher is closer.

    Source: Reimers and Gurevych 2019, Sentence-BERT; New-Wiki Eval paper, "Relevance". Pitfall: all-MiniLM-L6-v2 reads
    a quarter of an article, so a text that is right there and wrong afterwards scores 1; `sbert` reads all of it.
    """
    return _cosine(analysis, reference, "embedding_truncated")


@evaluator(
    metrics=[
        cosine(
            "embedding_coherence",
            "inner product of the unit embeddings of text and prompt",
            "Li et al. 2022 (contrastive decoding), sec. 5.1; Gao et al. 2021",
        )
    ],
    version="1",
    needs={"embedding", "prompt_embedding"},
    across_languages=True,
)
def embedding_coherence(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return how close a text is in meaning to the prompt that it continues, from -1 to 1, higher is closer.

    Source: Li et al. 2022, Contrastive decoding, section 5.1, with SimCSE's embeddings; here the embedder is that of
    `sbert`, and the whole text is embedded. Pitfall: a text that repeats the prompt scores 1.
    """
    if analysis.wordless:
        return Unscorable("no words")
    if not analysis.prompt.strip():
        return Unscorable("no prompt")
    return inner_product(analysis.embedded(), analysis.embedded("prompt_embedding"))


def _cosine(analysis: Analysis, reference: Analysis, part: str) -> float | Unscorable:
    if reason := analysis.wordless_beside(reference):
        return reason
    return inner_product(analysis.embedded(part), reference.embedded(part))


def inner_product(first: NDArray[np.float32], second: NDArray[np.float32]) -> float | Unscorable:
    """Return the inner product of two unit vectors, from -1 to 1; unscorable if one of them is NaN."""
    product = float(first @ second)
    if math.isnan(product):
        return Unscorable("no tokens to embed")
    # Rounding may leave unit vectors slightly too long.
    return max(-1.0, min(product, 1.0))
