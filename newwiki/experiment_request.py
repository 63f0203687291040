"""The requests of experiments: the fields of an evaluation, and those of each experiment (see `newwiki.request`)."""

from dataclasses import dataclass
from typing import Any, ClassVar

from newwiki.errors import UsageError
from newwiki.fields import field, fields_of
from newwiki.request import EvaluationRequest, Request
from newwiki.settings import SCORING


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
class WritingRequest(ExperimentRequest):
    """An experiment on generated texts, with the defaults of the New-Wiki Eval paper (section Experiments)."""

    UNUSED: ClassVar = ("likelihood_only",)

    prompts: int | None = field(2000, "Use only the N longest articles.", at_least=1, aliases=("--limit",))

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_writing()


@dataclass(frozen=True, kw_only=True)
class ModelFreeRequest(Request):
    """The base of experiments that evaluate no model: the articles of a snapshot, and the metrics that score texts."""

    snapshot: str = field(EvaluationRequest.snapshot, "Snapshot whose articles are used.", metavar="ID")
    prompts: int | None = field(
        None, "Use only the N longest articles (default: all).", at_least=1, aliases=("--limit",), example=100
    )
    metrics: str = field(
        EvaluationRequest.metrics, "Metrics to compute.", metavar="core|claims|all|NAME,…", names=True, group=SCORING
    )
    budget: int = field(
        EvaluationRequest.budget, "Maximum number of articles for costly evaluators.", at_least=1, group=SCORING
    )
    seed: int = field(EvaluationRequest.seed, "Random seed for the texts.")


AnyExperimentRequest = ExperimentRequest | ModelFreeRequest
