"""What a user may ask of the experiment `contrast` (see `newwiki.experiment_request`)."""

from dataclasses import dataclass
from typing import Literal, get_args

from newwiki.errors import UsageError, did_you_mean
from newwiki.experiment_request import ExperimentRequest
from newwiki.fields import asked, fields_of

Ablation = Literal["k", "amateur-temperature", "amateur-size", "amateur-context", "plausibility", "sampling", "beams"]
ABLATIONS: tuple[str, ...] = get_args(Ablation)

# Su and Xu 2022, section 3: what contrastive decoding is set beside
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
    """Which experts write against which amateurs, and what that is set beside. Numbers are the papers': 256 tokens, one
    text of a prompt, all of which are scored."""

    decoder: tuple[str, ...] = asked(
        BESIDE,
        "What contrastive decoding is set beside (may be repeated).",
        metavar="SPEC",
        usually="those of the papers' tables",
    )
    amateur: tuple[str, ...] = asked(
        (),
        "The smallest model of the family; with several the first, and all are tried for size (may be repeated).",
        metavar="MODEL",
        example="gpt2",
    )
    amateur_temperature: float = asked(0.5, "The amateur's; the paper has 0.5 for GPT-2 and 1 for OPT.", above=0)
    ablations: str = asked(
        "all", f"What is varied, too: {', '.join(ABLATIONS)}.", metavar="all|none|NAME,…", names=True
    )
    samples: int = asked(1, "Completions a prompt, of decoders that draw.", at_least=1)
    keep: int = asked(1, "As many as --samples: all are scored.", at_least=1)
    max_new_tokens: int = asked(256, "Of a completion.", at_least=1, aliases=("--max_new_tokens",))
    metrics: str = asked(
        CONTRAST_METRICS, "What is measured (those of these that are at hand).", metavar="NAME,…", names=True
    )
    budget: int = asked(3000, "Texts a run whose likelihood is read.", at_least=1)

    def __post_init__(self) -> None:
        usual = {one.name: one.default for one in fields_of(type(self))}
        if self.keep not in (usual["keep"], self.samples):
            raise UsageError(f"all {self.samples} completions of a prompt are scored; leave --keep out")
        object.__setattr__(self, "keep", self.samples)
        super().__post_init__()
        if not self.amateur:
            raise UsageError("contrast to whom? Give --amateur, the smallest model of the family, such as gpt2")
        if self.likelihood_only or not self.decoder:
            raise UsageError("this is asked of texts that models write: leave --likelihood-only out, give a --decoder")
        for name in self.varied:
            if name not in ABLATIONS:
                nearest = did_you_mean(name, ABLATIONS) or ";"
                raise UsageError(f"there is no ablation '{name}'{nearest} there are: {', '.join(ABLATIONS)}, all, none")

    @property
    def varied(self) -> tuple[str, ...]:
        """The ablations that are asked for."""
        if self.ablations in ("all", "none"):
            return ABLATIONS if self.ablations == "all" else ()
        return tuple(dict.fromkeys(name.strip() for name in self.ablations.split(",")))
