"""`newwiki experiment contrast`: compare contrastive decoding with contrastive search, and ablate its parts."""

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from flows.experiments.experiment import Experiment
from newwiki.errors import UsageError, did_you_mean
from newwiki.experiment_request import ExperimentRequest
from newwiki.fields import field

Ablation = Literal["k", "amateur-temperature", "amateur-size", "amateur-context", "plausibility", "sampling", "beams"]
ABLATIONS: tuple[str, ...] = get_args(Ablation)

# Su and Xu 2022, section 3: the decoders that contrastive decoding is compared with
BESIDE = (
    "contrastive-search:top_k=5,penalty_alpha=0.6",
    "greedy",
    "sample:top_k=50",
    "sample:top_p=0.95",
    "sample:typical_p=0.95",
)
CONTRAST_METRICS = "diversity,diversity_simctg,mauve,embedding_coherence,likelihood_coherence,words"


@dataclass(frozen=True, kw_only=True)
class ContrastRequest(ExperimentRequest):
    """The expert models, their amateurs, and the decoders to compare with.

    The defaults are those of the papers: 256 tokens, one completion per prompt, all of which are scored.
    """

    UNUSED: ClassVar = ("likelihood_only", "keep")

    decoder: tuple[str, ...] = field(
        BESIDE,
        "Decoder to compare contrastive decoding with (may be repeated).",
        metavar="SPEC",
        usually="those of the papers' tables",
    )
    amateur: tuple[str, ...] = field(
        help="Amateur, the smallest model of the family; further ones serve the ablation of size (may be repeated).",
        metavar="MODEL",
        example="gpt2",
    )
    amateur_temperature: float = field(
        0.5, "Temperature of the amateur; the paper uses 0.5 for GPT-2 and 1 for OPT.", above=0
    )
    ablations: str = field(
        "all", f"Ablations to run as well: {', '.join(ABLATIONS)}.", metavar="all|none|NAME,…", names=True
    )
    samples: int = field(1, "Number of completions per prompt, for decoders that sample.", at_least=1)
    keep: int = field(1, "Number of completions per prompt to score: always --samples.", at_least=1)
    max_new_tokens: int = field(
        256, "Maximum number of new tokens per completion.", at_least=1, aliases=("--max_new_tokens",)
    )
    metrics: str = field(
        CONTRAST_METRICS, "Metrics to compute, as far as their models are available.", metavar="NAME,…", names=True
    )
    budget: int = field(3000, "Maximum number of texts per run whose likelihood is computed.", at_least=1)

    def __post_init__(self) -> None:
        self.keep_all()
        super().__post_init__()
        if not self.amateur:
            raise UsageError("--amateur is required: the smaller model to contrast with, such as --amateur gpt2")
        self.require_writing()
        for name in self.varied:
            if name not in ABLATIONS:
                nearest = did_you_mean(name, ABLATIONS) or ";"
                raise UsageError(f"there is no ablation '{name}'{nearest} there are: {', '.join(ABLATIONS)}, all, none")

    @property
    def varied(self) -> tuple[str, ...]:
        """Return the requested ablations."""
        if self.ablations in ("all", "none"):
            return ABLATIONS if self.ablations == "all" else ()
        return tuple(dict.fromkeys(name.strip() for name in self.ablations.split(",")))


EXPERIMENT = Experiment(
    name="contrast",
    version="2",
    title="Contrastive decoding and contrastive search",
    question="What does contrastive decoding change, beside contrastive search and sampling?",
    source="Li et al. 2022, Contrastive decoding; Su and Xu 2022, An empirical study on contrastive search and "
    "contrastive decoding",
    help="Compare contrastive decoding (a model in contrast to a smaller --amateur) with contrastive search, greedy "
    "search and sampling: diversity, coherence and similarity to the articles. Ablations show the effect of "
    "another amateur, of the plausibility constraint, and more.",
    example="newwiki experiment contrast gpt2-xl --amateur gpt2 --ablations none --prompts 100",
    request=ContrastRequest,
)
