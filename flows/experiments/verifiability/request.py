"""`newwiki experiment verifiability`: measure how much of a model's text is supported by evidence, by decoder."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from flows.experiments.experiment import Experiment
from newwiki.errors import UsageError
from newwiki.experiment_request import ExperimentRequest
from newwiki.fields import field, fields_of

Sweep = Literal["delay", "blocking"]

# Massarelli et al. 2020, table 1 with the parameters of table 3, which omits the beam sizes of the diverse searches.
# The paper does not name a length penalty; fairseq, which it uses, divides by the length (lenpen 1). A plain sum would
# prefer sentences of about five tokens, whereas table 4 has 24.
TABLE_1 = (
    "sample:top_k=2",
    "sample:top_p=0.4",
    "greedy",
    "beam:num_beams=15",
    "group-beam:num_beam_groups=2,diversity_penalty=0.2",
    "sibling-beam:sibling_penalty=0.1",
    "delayed-beam:delay=1,top_k=100,num_beams=6,length_penalty=1",
    "beam:num_beams=15,no_repeat_ngram_size=20",
)
# Figures 5 and 3 of the paper. The first decoder is the line: sampling, as an endless delay, or no blocking
SWEEPS: Mapping[Sweep, tuple[str, ...]] = {
    "delay": ("sample:top_k=100", "delayed-beam:delay=[1,2,3,5,10,20],top_k=100,num_beams=6,length_penalty=1"),
    "blocking": ("beam:num_beams=15", "beam:num_beams=15,no_repeat_ngram_size=[3,5,10,15,20]"),
}


@dataclass(frozen=True, kw_only=True)
class VerifiabilityRequest(ExperimentRequest):
    """The models and decoders whose first sentences are checked against evidence, and the decoder to compare with.

    The defaults are the paper's (section 5): 256 tokens and three completions per prompt. The experiment checks all
    completions.
    """

    UNUSED: ClassVar = ("likelihood_only",)

    decoder: tuple[str, ...] = field(
        TABLE_1,
        "Decoder to check (may be repeated).",
        metavar="SPEC",
        usually="those of the paper's table 1",
    )
    sweep: Sweep | None = field(
        None, "Sweep of decoders instead of --decoder: delay is the paper's figure 5, blocking figure 3."
    )
    against: str | None = field(
        None, "Decoder that all others are compared with (default: the first).", metavar="SPEC", example="greedy"
    )
    samples: int = field(3, "Number of completions per prompt, for decoders that sample.", at_least=1)
    keep: int = field(3, "Check only the N longest completions of each prompt.", at_least=1)
    max_new_tokens: int = field(
        256, "Maximum number of new tokens per completion.", at_least=1, aliases=("--max_new_tokens",)
    )
    metrics: str = field("claims", "Metrics to compute as well.", metavar="core|claims|all|NAME,…", names=True)
    budget: int = field(3000, "Maximum number of texts per run whose claims are checked.", at_least=1)

    def __post_init__(self) -> None:
        usual = {option.name: option.default for option in fields_of(type(self))}
        if self.sweep:
            if self.decoder not in (TABLE_1, SWEEPS[self.sweep]):
                raise UsageError("--sweep and --decoder exclude each other: leave one out")
            object.__setattr__(self, "decoder", SWEEPS[self.sweep])
        if self.keep == usual["keep"] and self.samples < self.keep:
            object.__setattr__(self, "keep", self.samples)
        super().__post_init__()
        self.require_writing()


EXPERIMENT = Experiment(
    name="verifiability",
    version="2",
    title="Effects of decoding on verifiability",
    question="Under which decoder does the evidence support more of what a model writes?",
    source="Massarelli et al. 2020, How decoding strategies affect the verifiability of generated text",
    help="Measure how much of the generated text is supported by evidence, and how repetitive it is, by decoder. The "
    "--pair-scorer checks the first five sentences of each text against the index of --evidence, or against the "
    "article.",
    example="newwiki experiment verifiability gpt2-xl --prompts 200",
    request=VerifiabilityRequest,
)
