"""What a user may ask of the experiment `exposure-bias` (see `newwiki.experiment_request`)."""

from dataclasses import dataclass

from newwiki.errors import UsageError
from newwiki.experiment_request import ExperimentRequest
from newwiki.fields import asked, fields_of

_NOT_ASKED = ("likelihood_only", "stop", "chat", "metrics", "budget", "knowledge_cutoff")


@dataclass(frozen=True, kw_only=True)
class ExposureBiasRequest(ExperimentRequest):
    """Which models go on from which prefixes, of how many tokens each. Numbers are the paper's (section 6) where it has
    them: prompts and generations of 20 tokens, ten seeds; it shows corruption and gaps in figures alone."""

    decoder: tuple[str, ...] = asked(("sample",), "How the models write (may be repeated).", metavar="SPEC")
    samples: int = asked(4, "Stretches of an article that prompts are cut from, at most.", at_least=1)
    keep: int = asked(4, "As many as --samples: all are measured.", at_least=1)
    max_new_tokens: int = asked(20, "That are scored after a prefix.", at_least=3, aliases=("--max_new_tokens",))
    prompt_length: int = asked(20, "Tokens of a prompt.", at_least=1)
    prefix_length: tuple[int, ...] = asked(
        (20, 30, 40, 50, 60, 100), "Tokens of a prefix, which stands after the prompt (may be repeated)."
    )
    gap: tuple[int, ...] = asked((10, 20, 30), "Tokens between a damaged prefix and what is scored (may be repeated).")
    rate: tuple[float, ...] = asked(
        (0.1, 0.2, 0.3, 0.4, 0.5, 1.0),
        "The share of a prefix's tokens that are replaced, of which 1 is all (may be repeated).",
    )
    gap_rate: float = asked(0.3, "The same, of the prefixes that gaps are tried with.", above=0)
    seeds: int = asked(10, "How often all is drawn, from --seed on.", at_least=1)
    data_model: str | None = asked(
        None,
        "A checkpoint whose texts take the articles' place, so that EB-C can be had.",
        metavar="MODEL",
        example="gpt2-large",
    )
    synthetic: bool = asked(
        False, "MODEL takes the articles' place, and a smaller one, trained on what it writes, is measured."
    )
    training_texts: int = asked(10_000, "That it is trained on.", at_least=1)

    def __post_init__(self) -> None:
        usual = {one.name: one.default for one in fields_of(type(self))}
        if given := [name for name in _NOT_ASKED if getattr(self, name) != usual[name]]:
            raise UsageError(f"exposure-bias does not know --{given[0].replace('_', '-')}; leave it out")
        if self.keep not in (usual["keep"], self.samples):
            raise UsageError(f"all {self.samples} stretches of an article are measured; leave --keep out")
        object.__setattr__(self, "keep", self.samples)
        for name in ("prefix_length", "gap", "rate"):
            object.__setattr__(self, name, tuple(sorted(set(getattr(self, name)))))
        super().__post_init__()
        if self.synthetic and (self.data_model or len(self.models) != 1 or self.backend != "hf"):
            raise UsageError("--synthetic has one model of --backend hf in the articles' place; leave --data-model out")
        if not self.decoder or not self.prefix_length or self.prefix_length[0] < 1:
            raise UsageError("prefixes have a length of 1 at least, and models a --decoder to go on with")
        if any(one < 1 for one in self.gap):
            raise UsageError("a gap has a token at least; without --gap there is what is scored right after a prefix")
        if any(not 0 < one <= 1 for one in (*self.rate, self.gap_rate)):
            raise UsageError("a rate is a share above 0, and 1 at most, which replaces all")
