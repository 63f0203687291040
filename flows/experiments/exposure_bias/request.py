"""`newwiki experiment exposure-bias`: test whether a model continues its own text worse than data."""

from dataclasses import dataclass
from typing import ClassVar

from flows.experiments.experiment import Experiment
from newwiki.errors import UsageError
from newwiki.experiment_request import ExperimentRequest
from newwiki.fields import field, fields_of
from newwiki.models.chat_options import CHAT_ARGUMENTS

_NOT_ASKED = ("likelihood_only", "stop", "chat", "metrics", "budget", "knowledge_cutoff")


@dataclass(frozen=True, kw_only=True)
class ExposureBiasRequest(ExperimentRequest):
    """The models, and the lengths of prompts, prefixes, gaps and generations in tokens.

    The defaults are the paper's (section 6) where it states them: prompts and generations of 20 tokens, ten seeds. It
    shows corruption and gaps only in figures.
    """

    UNUSED: ClassVar = (*_NOT_ASKED, *CHAT_ARGUMENTS, "cleaning", "keep")

    decoder: tuple[str, ...] = field(("sample",), "Decoder of the models (may be repeated).", metavar="SPEC")
    samples: int = field(4, "Maximum number of passages per article to cut prompts from.", at_least=1)
    keep: int = field(4, "Number of passages per article to measure: always --samples.", at_least=1)
    max_new_tokens: int = field(
        20, "Number of tokens after a prefix to score.", at_least=3, aliases=("--max_new_tokens",)
    )
    prompt_length: int = field(20, "Number of tokens per prompt.", at_least=1)
    prefix_length: tuple[int, ...] = field(
        (20, 30, 40, 50, 60, 100), "Number of tokens per prefix, which follows the prompt (may be repeated)."
    )
    gap: tuple[int, ...] = field(
        (10, 20, 30), "Number of tokens between a corrupted prefix and the scored tokens (may be repeated)."
    )
    rate: tuple[float, ...] = field(
        (0.1, 0.2, 0.3, 0.4, 0.5, 1.0),
        "Share of a prefix's tokens to replace, above 0 and at most 1 (may be repeated).",
    )
    gap_rate: float = field(0.3, "Share of tokens to replace in the prefixes that gaps are tested with.", above=0)
    seeds: int = field(10, "Number of repetitions, with seeds from --seed on.", at_least=1)
    data_model: str | None = field(
        None,
        "Checkpoint whose texts replace the articles, so that EB-C can be measured.",
        metavar="MODEL",
        example="gpt2-large",
    )
    synthetic: bool = field(
        False, "Replace the articles by texts of MODEL, and measure a smaller model trained on them."
    )
    training_texts: int = field(10_000, "Number of texts to train the smaller model on.", at_least=1)

    def __post_init__(self) -> None:
        usual = {option.name: option.default for option in fields_of(type(self))}
        if names := [name for name in _NOT_ASKED if getattr(self, name) != usual[name]]:
            raise UsageError(f"--{names[0].replace('_', '-')} does not apply to exposure-bias: leave it out")
        self.keep_all("passages per article are measured")
        for name in ("prefix_length", "gap", "rate"):
            object.__setattr__(self, name, tuple(sorted(set(getattr(self, name)))))
        super().__post_init__()
        if self.synthetic and (self.data_model or len(self.models) != 1 or self.backend != "hf"):
            raise UsageError("--synthetic needs exactly one MODEL of --backend hf, and no --data-model")
        if not self.decoder or not self.prefix_length or self.prefix_length[0] < 1:
            raise UsageError("--prefix-length must be at least 1, and a --decoder is required")
        if any(gap < 1 for gap in self.gap):
            raise UsageError("--gap must be at least 1: tokens right after the prefix are always scored")
        if any(not 0 < rate <= 1 for rate in (*self.rate, self.gap_rate)):
            raise UsageError(
                "--rate and --gap-rate are shares: give a number above 0 and at most 1, which replaces all tokens"
            )


EXPERIMENT = Experiment(
    name="exposure-bias",
    version="2",
    title="Exposure bias",
    question="Does a model continue its own text worse than text from data?",
    source="He et al. 2021, Exposure bias versus self-recovery: are distortions really incremental for autoregressive "
    "text generation?",
    help="Measure whether models continue their own text worse than articles (EB-M, EB-C), whether the effect grows "
    "with the length of the text, and whether models recover from shuffled or corrupted prefixes.",
    example="newwiki experiment exposure-bias gpt2 --data-model gpt2-large",
    request=ExposureBiasRequest,
    scores=False,
)
