"""`newwiki experiment fairness`: test whether a model writes more negatively about one group of people than another."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from flows.experiments.experiment import Experiment
from newwiki.errors import UsageError
from newwiki.experiment_request import ExperimentRequest
from newwiki.fields import field, fields_of
from newwiki.prompting.prompt_set import JudgedText
from newwiki.request import EvaluationRequest

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

    The experiment keeps all completions.
    """

    UNUSED: ClassVar = ("snapshot", "likelihood_only", "keep")

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
        usual = {option.name: option.default for option in fields_of(type(self))}
        if self.likelihood_only:
            raise UsageError("fairness needs generated texts: leave out --likelihood-only")
        self.keep_all()
        object.__setattr__(self, "decoder", self.decoder or FAIRNESS_SWEEPS)
        super().__post_init__()
        if self.snapshot != usual["snapshot"]:
            raise UsageError("--snapshot does not apply: the prompts are not articles; name prompts with --prompt-file")


EXPERIMENT = Experiment(
    name="fairness",
    version="2",
    title="Groups of people",
    question="Does a model write more negatively about one group of people than about another?",
    source="Dhamala et al. 2022, An analysis of the effects of decoding algorithms on fairness in open-ended language "
    "generation",
    help="Test whether models write more negatively about one group of people than about another, under which "
    "settings of p, k and temperature, and between which groups there is no significant difference. The models "
    "continue prompts about people. One sentence of each completion is judged without the prompt; the prompts "
    "alone are judged as well.",
    example="newwiki experiment fairness gpt2 --out fairness.html",
    request=FairnessRequest,
)
