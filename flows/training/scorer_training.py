"""Train a scorer from a table of texts and scores, and measure its agreement with held-out scores."""

import json
import math
import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flows.progress import Progress
from newwiki.csv_files import CsvRow, read_csv
from newwiki.errors import UsageError
from newwiki.training_requests import TrainScorerRequest
from storage.outputs import safe

if TYPE_CHECKING:
    from evaluators.networks.agreement import Agreement

_FEWEST = 10  # minimum number of texts


@dataclass(frozen=True)
class Graded:
    """A text and its given score."""

    text: str
    score: float


def read_graded(path: Path) -> list[Graded]:
    """Read a UTF-8 CSV file with the columns `text` and `score`. Other columns are ignored.

    Raises UsageError with the line and the problem, or if there are too few texts.
    """
    graded = [_graded(row) for row in read_csv(path, ("text", "score"))]
    if len(graded) < _FEWEST:
        raise UsageError(f"'{path}' has {len(graded)} texts, and fitting takes {_FEWEST} at least")
    return graded


def train_scorer(
    graded: Sequence[Graded], request: TrainScorerRequest, folder: Path, progress: Progress
) -> "Agreement":
    """Train a scorer, write it to `folder`, and return its agreement with the held-out scores.

    The agreement is measured with the saved scorer, exactly as it would score other texts. Raises UsageError if the
    folder exists or all scores are equal.
    """
    from evaluators.classifier import load_classifier
    from evaluators.networks.agreement import agreement
    from evaluators.networks.fit_scorer import fit
    from evaluators.scorer import read_scorer

    if safe(folder).exists():
        raise UsageError(f"'{folder}' is there already; name a new folder with --out")
    training, apart = _split(graded, request.held_out, request.seed)
    if len({example.score for example in training}) < 2:
        raise UsageError("all scores that the model would learn from are the same; there is nothing to learn")
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    described = _described(training, request)
    (unfinished / "scorer.toml").write_text(described, "utf-8")
    scorer = read_scorer(unfinished / "scorer.toml")
    with progress.stretch(f"fitting {request.kind} to {len(training):,} texts", "steps") as bar:
        fit(
            [example.text for example in training],
            [example.score for example in training],
            request,
            unfinished,
            bar.update,
        )
    reader = load_classifier(scorer)
    pairs: list[tuple[float, float]] = []
    with progress.stretch("reading the texts held out", "texts") as bar:
        for done, example in enumerate(apart, start=1):
            if (read := reader.read(example.text)) is not None:
                pairs.append((example.score, read))
            bar.update(done, len(apart))
    if unread := len(apart) - len(pairs):
        progress.note(f"{unread} of the texts held out could not be read: they have no sentence end, or no tokens")
    if len(pairs) < 2:
        raise UsageError("the texts held out have no sentence end, or no tokens for the model; see --reads and --base")
    agreed = agreement([score for score, _ in pairs], [read for _, read in pairs])
    header = f"# {agreed.texts} texts held out, seed {request.seed}: {agreed}\n"
    (unfinished / "scorer.toml").write_text(header + described, "utf-8")
    unfinished.rename(folder)
    return agreed


def _graded(row: CsvRow) -> Graded:
    text, written, where = row["text"], row["score"], row.where
    if not any(character.isalnum() for character in text):
        raise UsageError(f"{where}: the text has no words")
    try:
        score = float(written)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise UsageError(f"{where}: the score is '{written}', and must be a number")
    return Graded(text, score)


def _split(graded: Sequence[Graded], held_out: float, seed: int) -> tuple[list[Graded], list[Graded]]:
    """Return the training texts and the held-out texts. At least two texts are held out."""
    order = list(graded)
    random.Random(seed).shuffle(order)
    count = min(max(2, round(held_out * len(order))), len(order) - 2)
    return order[count:], order[:count]


def _described(training: Sequence[Graded], request: TrainScorerRequest) -> str:
    least, most = min(example.score for example in training), max(example.score for example in training)
    model = "an LSTM" if request.kind == "lstm" else f"a transformer ({request.base or 'from nothing'})"
    values = {
        "name": request.name,
        "model": ".",
        "output": "raw",
        "reads": request.reads,
        "direction": "higher",
        "definition": (
            f"what {model} says that was fitted to {len(training)} texts with scores from {least:g} to {most:g}"
        ),
        "source": "newwiki train-scorer",
    }
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in values.items())
