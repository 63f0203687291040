"""Score how likely a text is after its prompt, under a given causal language model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluators.analysis import Analysis
from evaluators.networks.chunks import encodable
from newwiki.errors import TerminalError
from newwiki.models.checkpoint import is_at_hand, split_revision
from newwiki.records import Likelihood, Metric, Unscorable
from newwiki.registry import evaluator, maker
from newwiki.text.prompts import continued

if TYPE_CHECKING:
    from newwiki.settings import Settings

WINDOW = 2048  # tokens of prompt and text together: OPT's context, and the same for other models


@evaluator(
    metrics=[
        Metric(
            "likelihood_coherence",
            unit="nats/token",
            minimum=None,
            maximum=0.0,
            direction="higher",
            definition="mean log-likelihood of the text's tokens given the prompt and all before them, within the "
            f"first {WINDOW} tokens of both, under --likelihood-model",
            source="Su and Xu 2022 (contrastive search versus contrastive decoding), eq. 4",
        )
    ],
    version="1",
    needs={"likelihood"},
    costly=True,
    alone=True,
)
def likelihood_coherence(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Compute (1/n) Σ log p(token | prompt, tokens before), natural logarithm, up to 0; higher is more expected.

    Source: Su and Xu 2022, An empirical study on contrastive search and contrastive decoding, equation 4, with
    OPT-2.7B. Numbers of two models cannot be compared, because their tokens differ. A text beyond the window is scored
    by its tokens within it: later tokens are more expected, so a longer window scores higher, and leaving such texts
    out would leave out the longest. Pitfall: repetition is what a language model expects most.
    """
    if analysis.wordless:
        return Unscorable("no words")
    if not analysis.prompt.strip():
        return Unscorable("no prompt")
    made = analysis.part("likelihood")
    return Unscorable("the prompt fills the model's context") if made is None else min(float(made[0]), 0.0)


class LikelihoodReader:
    """A causal language model that reads texts of others: the maker of the part `likelihood`, which is [mean
    log-likelihood, tokens, whether tokens were left out], or None if no token of the text was read."""

    parts = frozenset({"likelihood"})
    packages: tuple[str, ...] = ("transformers", "tokenizers", "torch")

    def __init__(self, name: str, revision: str = "main") -> None:
        from newwiki.models.huggingface import HuggingFaceModel

        self._reader = HuggingFaceModel(name, revision=revision)
        self.model = Path(name).resolve().name if Path(name).is_dir() else name
        self.model_sha256: str | None = self._reader.sha256
        self.dtype: str | None = self._reader.dtype
        self.backend: str | None = f"torch-{self._reader.versions['device'].split()[0].partition(':')[0]}"
        self.parameters: Mapping[str, object] = {
            "window": WINDOW,
            "beyond the window": "left out",
            "bos": self._reader.settings["bos"],
        }

    def make(self, prompts: Sequence[str], texts: Sequence[str], parts: Set[str]) -> Mapping[str, Sequence[Any]]:
        pairs = [
            (encodable(prompt), continued(encodable(prompt), encodable(text)))
            for prompt, text in zip(prompts, texts, strict=True)
        ]
        return {"likelihood": [_mean(likelihood) for likelihood in self._reader.likelihoods(pairs, WINDOW)]}


@maker(
    *LikelihoodReader.parts,
    options={"model": "--likelihood-model"},
    at_hand=lambda settings: is_at_hand(*split_revision(settings.likelihood_model)),
)
def load_reader(settings: Settings) -> LikelihoodReader:
    """Load the model of the setting `likelihood_model`. Raises TerminalError if it is not available."""
    try:
        return LikelihoodReader(*split_revision(settings.likelihood_model))
    except TerminalError as error:
        raise TerminalError(f"likelihood_coherence: {error}; choose another with --likelihood-model NAME") from error


def _mean(likelihood: Likelihood) -> list[float | int | bool] | None:
    numbers = likelihood.log_probabilities
    return [math.fsum(numbers) / len(numbers), len(numbers), likelihood.truncated] if numbers else None
