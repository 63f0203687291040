"""Read the TOML file of a pair scorer: its classifier, which reads a claim with a sentence of evidence, and the meaning
of its labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PrivateAttr, ValidationError, model_validator

from evaluators.scorer import Words
from newwiki.errors import UsageError, did_you_mean
from newwiki.settings import Settings, read_toml
from newwiki.toml_tables import Place, Table, keys_in_words, what_is_wrong

PRESETS = Path(__file__).resolve().parent / "pair_scorers"


class LabelMap(Table):
    """The model's names for the three labels."""

    supported: Words
    refuted: Words
    not_enough_info: Words

    @model_validator(mode="after")
    def _differ(self) -> Self:
        if len({self.supported, self.refuted, self.not_enough_info}) < 3:
            raise ValueError("the three labels must be different labels of the model")
        return self


class PairScorer(Table):
    """The model behind verdicts on claims.

    `model` is a folder (relative to the file) or a hub id, at `revision`; `labels` are the model's own. The `first`
    text of a pair is the evidence or the claim, as in the model's training. The model reads `window` tokens at once,
    including special ones (0: its maximum); a longer pair loses the end of its evidence, never of its claim. Up to
    `batch` pairs run together.
    """

    model: Words
    labels: LabelMap
    revision: Words = "main"
    first: Literal["evidence", "claim"] = "evidence"
    window: Annotated[int, Field(ge=8)] = 0
    batch: Annotated[int, Field(ge=1)] = 32
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    source: Words = "a pair scorer of the user's own"
    pitfalls: Words = ""
    _file: Path = PrivateAttr()

    def model_post_init(self, context: Any) -> None:
        self._file = context

    @property
    def file(self) -> Path:
        return self._file

    @property
    def place(self) -> str:
        """The model's folder, or its hub id."""
        folder = self.file.parent / self.model
        return str(folder) if folder.is_dir() else self.model


def read_pair_scorer(choice: str = Settings.pair_scorer) -> PairScorer:
    """Read the pair scorer of a file, or the built-in one of that name.

    Raises UsageError if there is neither, and for a wrong key, with what it may be.
    """
    presets = {file.stem: file for file in PRESETS.glob("*.toml")}
    file = presets.get(choice, Path(choice))
    if not file.is_file():
        raise UsageError(
            f"there is no pair scorer '{choice}'{did_you_mean(choice, presets)}; name a TOML file, or one of: "
            f"{', '.join(sorted(presets))}"
        )
    try:
        return PairScorer.model_validate(read_toml(file), context=file.resolve())
    except ValidationError as error:
        words = what_is_wrong(error, _table_at, lambda place: f"'{file}'{keys_in_words(place)}", repeat=True)
        raise UsageError(words) from None


def _table_at(place: Place) -> type[Table]:
    return LabelMap if place[:1] == ["labels"] else PairScorer
