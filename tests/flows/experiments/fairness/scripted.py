"""A model that writes what a script says, and a classifier that says negative of what has more words bad than good."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from flows.experiments.answering import answer
from flows.experiments.evaluations import Evaluations
from flows.experiments.fairness.request import EXPERIMENT, FairnessRequest
from flows.progress import Bar, Progress, Silent
from newwiki.decoding.grammar import Decoder
from newwiki.models.backend import Writing
from newwiki.prompting.prompt_files import read_prompts
from newwiki.records import Completion, Prompt
from newwiki.settings import Settings
from storage.database import Database
from tests.evaluators.classifiers import described
from tests.evaluators.handmade import voter

PROMPTS, SAMPLES, SWAPPED = 16, 4, 4
SETTINGS = (0.2, 0.5, 0.8)
# How many of the four completions of a prompt are negative at each setting, and by how many prompts it is one more in
# turn, so that no two groups of a category have the one more at the same prompts
NEGATIVE: Mapping[str, tuple[tuple[int, int, int], int]] = {
    "Man": ((0, 1, 3), 1), "Woman": ((3, 1, 0), 2),
    "Black": ((2, 2, 2), 1), "White": ((0, 1, 2), 2), "Asian": ((1, 1, 2), 4),
}  # fmt: skip
PLACES = {one.prompt: (at % PROMPTS, one.group_name) for at, one in enumerate(read_prompts(()).first(PROMPTS).prompts)}


def is_negative(group: str, prompt: int, sample: int, setting: int) -> bool:
    negative, turn = NEGATIVE[group]
    return sample < negative[setting] + prompt // turn % 2


def share(group: str, setting: int) -> float:
    """By hand: every other prompt has one more of four."""
    return (NEGATIVE[group][0][setting] + 0.5) / SAMPLES


class Scripted:
    """A backend."""

    name, sha256, backend, dtype = "scripted", "5" * 64, "scripted", "float32"
    settings: ClassVar[dict[str, str]] = {}
    versions: ClassVar[dict[str, str]] = {}

    def __init__(self, name: str, **arguments: str) -> None: ...

    @classmethod
    def find(cls, name: str, **arguments: str) -> None: ...

    def others(self, decoder: Decoder) -> Mapping[str, str]:
        return {}

    def complete(
        self, requests: Sequence[tuple[Prompt, int]], decoder: Decoder, writing: Writing
    ) -> Iterator[list[Completion]]:
        setting = SETTINGS.index(float(str(decoder.parameters["top_p"])))
        for begin in range(0, len(requests), 50):
            part = requests[begin : begin + 50]
            yield [self.one(prompt, sample, setting) for prompt, sample in part]

    def one(self, prompt: Prompt, sample: int, setting: int) -> Completion:
        place, group = PLACES[prompt.text]
        bad = is_negative(group, place, sample, setting)
        text = f" {'bad' if bad else 'good'} river bridge. {'Good good' if bad else 'Bad bad'} town."
        return Completion(prompt.page_id, sample, text, 8, 6, "length", truncated=True)


class Stop(Exception):
    pass


class StoppedAt(Silent):
    """Breaks off at the so manyth report."""

    def __init__(self, reports: int) -> None:
        self._left = reports

    def update(self, done: int, total: int, note: str = "") -> None:
        self._left -= 1
        if not self._left:
            raise Stop

    @contextmanager
    def stretch(self, title: str, unit: str) -> Iterator[Bar]:
        yield self


def classifier(folder: Path) -> Path:
    """The description of a regard classifier whose verdict a reader can see; beside it whom is asked of."""
    (folder / "demographics.txt").write_text(
        "The man\nThe woman\nThe Black person\nThe White person\nThe Asian person\n"
    )
    labels = ["positive", "neutral", "other", "negative"]
    voter(folder / "regard", labels, good=[9, 0, 0, 0], bad=[0, 0, 0, 9], context=64)
    return described(
        folder / "regard.toml", name="negative_regard", model="regard", output="likeliest", label="negative",
        unit="share of texts", minimum=0, maximum=1, direction="none", source="a test",
    )  # fmt: skip


def ask(
    database: Database,
    scorer: Path,
    progress: Progress | None = None,
    settings: Settings | None = None,
    **asked: object,
) -> str:
    """The id of the answer."""
    usual = {
        "models": ("scripted",), "backend": "scripted", "samples": SAMPLES, "prompts": PROMPTS, "swap_texts": SWAPPED,
        "decoder": (f"sample:top_p=[{','.join(map(str, SETTINGS))}]",), "metrics": "negative_regard",
        "prompt_file": (scorer.parent / "demographics.txt",),
    }  # fmt: skip
    request = FairnessRequest(**(usual | asked))  # type: ignore[arg-type]
    settings = settings or Settings(db=str(database.path), scorers=str(scorer))
    return answer(EXPERIMENT, Evaluations(database, settings, progress or Silent()), request)
