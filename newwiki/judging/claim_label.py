"""Sentences of texts, and people's labels for them: supported, refuted or neither, as in Massarelli et al. 2020."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from newwiki.errors import UsageError
from newwiki.judging.rubric import Criterion, Rubric

ClaimLabel = Literal["supported", "refuted", "neither"]
LABELS: tuple[ClaimLabel, ...] = get_args(ClaimLabel)

# How decoding strategies affect the verifiability of generated text, section 4 and table 2
CLAIMS = Rubric(
    (
        Criterion(
            name="label",
            question="Is what the sentence claims true, by the article or by what else you can look up?",
            meaning="supported: evidence says so. refuted: evidence says otherwise. neither: there is no evidence, or "
            "the sentence claims nothing.",
        ),
    ),
    "",
)


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """A sentence of a run's text about an article: `text[start_char:end_char]`, number `sentence` from 0. `article` is
    the article after its `first_sentence`, which was the prompt."""

    run_id: str
    page_id: int
    sample: int
    sentence: int
    start_char: int
    end_char: int
    text: str
    title: str
    first_sentence: str
    article: str

    @property
    def words(self) -> str:
        return self.text[self.start_char : self.end_char]

    @property
    def before(self) -> str:
        """The text before the sentence."""
        return self.text[: self.start_char]


@dataclass(frozen=True, kw_only=True)
class LabelledSentence:
    """One person's label for a sentence."""

    run_id: str
    page_id: int
    sample: int
    start_char: int
    end_char: int
    judge: str
    label: ClaimLabel
    labelled_at: datetime


def read_label(where: str, written: str) -> ClaimLabel:
    """Parse a label. Raises UsageError for anything else."""
    for label in LABELS:
        if written.lower() == label:
            return label
    raise UsageError(f"{where}: label is '{written}'; write {', '.join(LABELS[:-1])} or {LABELS[-1]}")
