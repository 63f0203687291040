"""What a user may ask of experiments: an evaluation's fields, and each experiment's own (see `newwiki.request`)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from newwiki.errors import UsageError
from newwiki.fields import asked, fields_of
from newwiki.prompting.prompt_set import JudgedText
from newwiki.request import EvaluationRequest


@dataclass(frozen=True, kw_only=True)
class ExperimentRequest(EvaluationRequest):
    """What every experiment is asked: the models read the articles, and with a decoder they write them as well."""

    decoder: tuple[str, ...] = asked(
        (), "How articles are written, too, such as greedy (they are only read).", metavar="SPEC"
    )

    def _require_one_task(self) -> None:
        if self.likelihood_only and self.decoder:
            raise UsageError("--likelihood-only writes no articles; leave it or --decoder out")

    def require_writing(self) -> None:
        """Raises UsageError where models would not write."""
        if self.likelihood_only or not self.decoder:
            raise UsageError("this is asked of texts that models write: leave --likelihood-only out, give a --decoder")


@dataclass(frozen=True, kw_only=True)
class ControlledRequest(ExperimentRequest):
    """The same with a control beside the models: what it shows too is the articles' own."""

    control: str | None = asked(
        None, "A model that has seen none of the articles.", metavar="MODEL", example="OLDER-MODEL"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.control in self.models:
            raise UsageError(f"'{self.control}' is the control and a model that it is for; name another --control")

    @property
    def of_each_model(self) -> list[dict[str, Any]]:
        """What is evaluated for each model and for the control in the place of what is asked: one at a time, and what
        is said of the models' knowledge cutoff is not said of the control's."""
        models = [{"models": (model,)} for model in self.models]
        return [*models, {"models": (self.control,), "knowledge_cutoff": None}] if self.control else [*models]


@dataclass(frozen=True, kw_only=True)
class LeakageRequest(ControlledRequest):
    """Which models are asked for old articles and for new ones."""

    snapshot: str = asked(EvaluationRequest.snapshot, "The new articles.", metavar="ID")
    old: str | None = asked(None, "The old articles (the newest snapshot of old ones of the same wiki).", metavar="ID")


@dataclass(frozen=True, kw_only=True)
class CutoffRequest(ControlledRequest):
    """Which models are asked for all articles of a wiki, by their age."""

    snapshot: str = asked(EvaluationRequest.snapshot, "The newest articles; all of its wiki are read.", metavar="ID")


@dataclass(frozen=True, kw_only=True)
class WritingRequest(ExperimentRequest):
    """What an experiment on texts is asked: how the New-Wiki Eval paper had articles written (its section Experiments)
    where nothing else is said."""

    prompts: int | None = asked(2000, "Only the longest so many articles.", at_least=1, aliases=("--limit",))

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_writing()


@dataclass(frozen=True, kw_only=True)
class ModelsRequest(WritingRequest):
    """Which models are set beside each other, under the paper's setting."""

    models: tuple[str, ...] = asked(
        (), "Run first where it was not (only what was run is read).", argument=True, metavar="MODEL"
    )
    decoder: tuple[str, ...] = asked(
        ("sample:top_p=0.9,top_k=20,temperature=0.9",), "Whose runs are read (may be repeated).", metavar="SPEC"
    )


@dataclass(frozen=True, kw_only=True)
class DecoderGridRequest(WritingRequest):
    """Which models are run over which grid. The paper names no values of its penalties; both are drawn here at three
    heights on the setting of its first experiment."""

    decoder: tuple[str, ...] = asked(
        (
            "sample:top_p=[0.5,0.9,0.95,1.0],top_k=[20,50,100,500],temperature=[0.1,0.5,0.9]",
            "sample:top_p=0.9,top_k=20,temperature=0.9,presence_penalty=0.5,frequency_penalty=0.5",
            "sample:top_p=0.9,top_k=20,temperature=0.9,presence_penalty=1.0,frequency_penalty=1.0",
        ),
        "The grid (may be repeated).",
        metavar="SPEC",
        usually="the paper's 48 settings, and two with penalties",
    )


@dataclass(frozen=True, kw_only=True)
class LinkingRequest(ExperimentRequest):
    """Which months are put on the scale of the newest, by which anchors, and which models are run on all of them
    first."""

    models: tuple[str, ...] = asked(
        (), "Run on all of the months first (only what was run is read).", argument=True, metavar="MODEL"
    )
    snapshot: str = asked(EvaluationRequest.snapshot, "The month on whose scale the others are put.", metavar="ID")
    earlier: tuple[str, ...] = asked(
        (), "A month that is put on it (all before it of the same wiki; may be repeated).", metavar="ID"
    )
    anchor: tuple[str, ...] = asked(
        (),
        "An anchor (all that ran on two of the months; may be repeated); Wikipedia/reference are the articles.",
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
    """Which models go on from prompts about groups of people, under which sweeps of decoders, and by what their
    sentences are judged. All completions are kept."""

    decoder: tuple[str, ...] = asked(
        (),
        "A sweep, such as sample:top_p=[0.3,0.9] (may be repeated; the paper's of p, k and temperature).",
        metavar="SPEC",
    )
    snapshot: str = asked(EvaluationRequest.snapshot, "Not asked for: prompts are no articles.", metavar="ID")
    prompts: int | None = asked(None, "Only the first so many prompts of each group (all).", at_least=1, example=5)
    samples: int = asked(100, "Completions a prompt.", at_least=1)
    keep: int = asked(100, "As many as --samples: all are scored.", at_least=1)
    max_new_tokens: int = asked(64, "Of a completion.", at_least=1, aliases=("--max_new_tokens",))
    metrics: str = asked(
        FAIRNESS_METRICS, "What counts as negative (those of these that are at hand).", metavar="NAME,…", names=True
    )
    prompt_file: tuple[Path, ...] = asked(
        (),
        "Prompts by group: a CSV of group, category and prompt, BOLD's gender_prompt.json, or ROPrompt's "
        "demographics.txt (templates of our own; may be repeated).",
        metavar="FILE",
    )
    language: str | None = asked(
        None, "Language of the prompts (recognized from their words).", metavar="CODE", example="de"
    )
    judged: JudgedText = asked(
        "completion",
        "Text to judge: the model's sentence alone, or the prompt with it, as the paper's own sentences are.",
    )
    swap_texts: int = asked(1489, "Sentences whose words are swapped to try the metrics; 0 for none.", at_least=0)

    def __post_init__(self) -> None:
        usual = {one.name: one.default for one in fields_of(type(self))}
        if self.keep not in (usual["keep"], self.samples):
            raise UsageError(f"all {self.samples} completions of a prompt are scored; leave --keep out")
        if self.likelihood_only:
            raise UsageError("fairness is of what models write; leave --likelihood-only out")
        object.__setattr__(self, "keep", self.samples)
        object.__setattr__(self, "decoder", self.decoder or FAIRNESS_SWEEPS)
        super().__post_init__()
        if self.snapshot != usual["snapshot"]:
            raise UsageError(
                "prompts about people are no articles; leave --snapshot out, or name prompts by --prompt-file"
            )
