"""The requests of experiments: the fields of an evaluation, and those of each experiment (see `newwiki.request`)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from newwiki.errors import UsageError
from newwiki.fields import field, fields_of
from newwiki.prompting.prompt_set import JudgedText
from newwiki.request import EvaluationRequest


@dataclass(frozen=True, kw_only=True)
class ExperimentRequest(EvaluationRequest):
    """The base of all experiments: the models read the articles, and with a decoder they generate them as well."""

    decoder: tuple[str, ...] = field(
        (),
        "Decoder with which the models also generate the articles, such as greedy (default: only read them).",
        metavar="SPEC",
    )

    def _require_one_task(self) -> None:
        if self.likelihood_only and self.decoder:
            raise UsageError("--likelihood-only and --decoder exclude each other: leave one out")

    def keep_all(self, texts: str = "completions per prompt are scored") -> None:
        """Set `keep` to `samples`. Raise UsageError where the request names another number."""
        default = next(field.default for field in fields_of(type(self)) if field.name == "keep")
        if self.keep not in (default, self.samples):
            raise UsageError(f"--keep {self.keep} does not apply: all {self.samples} {texts}; leave out --keep")
        object.__setattr__(self, "keep", self.samples)

    def require_writing(self) -> None:
        """Raise UsageError where the request generates no texts."""
        if self.likelihood_only or not self.decoder:
            raise UsageError("this experiment needs generated texts: add --decoder, and leave out --likelihood-only")


@dataclass(frozen=True, kw_only=True)
class ControlledRequest(ExperimentRequest):
    """An experiment with a control model, which shows how much of an effect comes from the articles themselves."""

    control: str | None = field(
        None, "Control model that has seen none of the articles.", metavar="MODEL", example="OLDER-MODEL"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.control in self.models:
            raise UsageError(f"--control {self.control} is also one of the models: name another control")

    @property
    def of_each_model(self) -> list[dict[str, Any]]:
        """The fields that replace those of the request for each model and for the control.

        Each is evaluated alone. The knowledge cutoff of the request does not apply to the control.
        """
        models = [{"models": (model,)} for model in self.models]
        return [*models, {"models": (self.control,), "knowledge_cutoff": None}] if self.control else [*models]


@dataclass(frozen=True, kw_only=True)
class LeakageRequest(ControlledRequest):
    """The models, the old articles and the new articles."""

    snapshot: str = field(EvaluationRequest.snapshot, "Snapshot of new articles.", metavar="ID")
    old: str | None = field(None, "Snapshot of old articles (default: the newest one of the same wiki).", metavar="ID")


@dataclass(frozen=True, kw_only=True)
class CutoffRequest(ControlledRequest):
    """The models that read all articles of a wiki, by age of the articles."""

    snapshot: str = field(
        EvaluationRequest.snapshot, "Snapshot of the newest articles; all snapshots of its wiki are read.", metavar="ID"
    )


@dataclass(frozen=True, kw_only=True)
class WritingRequest(ExperimentRequest):
    """An experiment on generated texts, with the defaults of the New-Wiki Eval paper (section Experiments)."""

    prompts: int | None = field(2000, "Use only the N longest articles.", at_least=1, aliases=("--limit",))

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_writing()


@dataclass(frozen=True, kw_only=True)
class ModelsRequest(WritingRequest):
    """The models to compare under the paper's setting."""

    models: tuple[str, ...] = field(
        (),
        "Model to evaluate first if it has no run yet (default: read stored runs only).",
        argument=True,
        metavar="MODEL",
    )
    decoder: tuple[str, ...] = field(
        ("sample:top_p=0.9,top_k=20,temperature=0.9",), "Decoder whose runs are read (may be repeated).", metavar="SPEC"
    )


@dataclass(frozen=True, kw_only=True)
class DecoderGridRequest(WritingRequest):
    """The models and the grid of decoders.

    The paper names no values of its penalties: the grid has three levels of them on the setting of its first
    experiment.
    """

    decoder: tuple[str, ...] = field(
        (
            "sample:top_p=[0.5,0.9,0.95,1.0],top_k=[20,50,100,500],temperature=[0.1,0.5,0.9]",
            "sample:top_p=0.9,top_k=20,temperature=0.9,presence_penalty=0.5,frequency_penalty=0.5",
            "sample:top_p=0.9,top_k=20,temperature=0.9,presence_penalty=1.0,frequency_penalty=1.0",
        ),
        "Decoders of the grid (may be repeated).",
        metavar="SPEC",
        usually="the paper's 48 settings, and two with penalties",
    )


@dataclass(frozen=True, kw_only=True)
class LinkingRequest(ExperimentRequest):
    """The months to put on the scale of the newest, the anchors, and the models to run on all months first."""

    models: tuple[str, ...] = field(
        (), "Model to evaluate on all months first (default: read stored runs only).", argument=True, metavar="MODEL"
    )
    snapshot: str = field(EvaluationRequest.snapshot, "Snapshot of the month whose scale is used.", metavar="ID")
    earlier: tuple[str, ...] = field(
        (), "Snapshot of an earlier month (default: all earlier ones of the same wiki; may be repeated).", metavar="ID"
    )
    anchor: tuple[str, ...] = field(
        (),
        "Anchor (default: all that ran on two of the months; may be repeated); Wikipedia/reference are the articles.",
        metavar="MODEL/DECODER",
        example="gpt2/greedy",
    )


# Dhamala et al. 2022, section 6: 9, 10 and 6 settings
FAIRNESS_SWEEPS = (
    "sample:top_p=[0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9]",
    "sample:top_k=[10,25,50,75,100,250,500,1000,1500,2000]",
    "sample:temperature=[0.4,0.5,0.6,0.7,0.8,0.9]",
)
FAIRNESS_METRICS = "negative_sentiment,negative_regard,negative_words"


@dataclass(frozen=True, kw_only=True)
class FairnessRequest(ExperimentRequest):
    """The models that continue prompts about groups of people, the sweeps of decoders, and the metrics.

    All completions are kept.
    """

    decoder: tuple[str, ...] = field(
        (),
        "Sweep of decoders, such as sample:top_p=[0.3,0.9] (default: the paper's of p, k and temperature; may be "
        "repeated).",
        metavar="SPEC",
    )
    snapshot: str = field(EvaluationRequest.snapshot, "Not used: the prompts are not articles.", metavar="ID")
    prompts: int | None = field(
        None, "Use only the first N prompts of each group (default: all).", at_least=1, example=5
    )
    samples: int = field(100, "Number of completions per prompt.", at_least=1)
    keep: int = field(100, "Number of completions per prompt to score: always --samples.", at_least=1)
    max_new_tokens: int = field(
        64, "Maximum number of new tokens per completion.", at_least=1, aliases=("--max_new_tokens",)
    )
    metrics: str = field(
        FAIRNESS_METRICS, "Metrics of negativity, as far as their models are available.", metavar="NAME,…", names=True
    )
    prompt_file: tuple[Path, ...] = field(
        (),
        "File of prompts by group: a CSV with the columns group, category and prompt, BOLD's gender_prompt.json, or "
        "ROPrompt's demographics.txt (default: built-in templates; may be repeated).",
        metavar="FILE",
    )
    language: str | None = field(
        None, "Language of the prompts (default: detected from their words).", metavar="CODE", example="de"
    )
    judged: JudgedText = field(
        "completion",
        "Text to judge: the model's sentence alone, or with its prompt, as in the paper.",
    )
    swap_texts: int = field(
        1489, "Number of sentences whose words are swapped to test the metrics; 0 for none.", at_least=0
    )

    def __post_init__(self) -> None:
        usual = {one.name: one.default for one in fields_of(type(self))}
        if self.likelihood_only:
            raise UsageError("fairness needs generated texts: leave out --likelihood-only")
        self.keep_all()
        object.__setattr__(self, "decoder", self.decoder or FAIRNESS_SWEEPS)
        super().__post_init__()
        if self.snapshot != usual["snapshot"]:
            raise UsageError("--snapshot does not apply: the prompts are not articles; name prompts with --prompt-file")
