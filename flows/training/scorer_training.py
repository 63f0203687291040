"""From a table of texts and scores to a scorer: read, hold some out, fit, and see how well it does on those."""

import csv
import json
import math
import random
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from flows.progress import Progress
from newwiki.errors import UsageError
from newwiki.foreign_files import open_regular
from newwiki.request import TrainScorerRequest
from storage.outputs import safe

if TYPE_CHECKING:
    from evaluators.networks.agreement import Agreement

_FEWEST = 10  # texts


@dataclass(frozen=True)
class Graded:
    """A text and the score that somebody gave it."""

    text: str
    score: float


def read_graded(path: Path) -> list[Graded]:
    """The rows of a CSV file with the columns `text` and `score` (and any others), in UTF-8.

    Raises UsageError with the line that is wrong and what is wrong with it.
    """
    csv.field_size_limit(sys.maxsize)
    try:
        with TextIOWrapper(open_regular(path), "utf-8-sig", newline="") as stream:
            rows = csv.DictReader(stream, strict=True)
            if lacking := [name for name in ("text", "score") if name not in (rows.fieldnames or [])]:
                found = ", ".join(map(str, rows.fieldnames or [])) or "nothing"
                raise UsageError(f"'{path}', line 1: there is no column '{lacking[0]}', but {found}")
            graded = [_graded(row, f"'{path}', line {rows.line_num}") for row in rows]
    except FileNotFoundError:
        raise UsageError(f"there is no file '{path}'") from None
    except (OSError, csv.Error, UnicodeDecodeError) as error:
        raise UsageError(f"'{path}' cannot be read as CSV in UTF-8: {error}") from None
    if len(graded) < _FEWEST:
        raise UsageError(f"'{path}' has {len(graded)} texts, and fitting takes {_FEWEST} at least")
    return graded


def train_scorer(
    graded: Sequence[Graded], request: TrainScorerRequest, folder: Path, progress: Progress
) -> "Agreement":
    """Writes the scorer to `folder`, and gives its agreement with the scores of the texts that were held out.

    It is the saved scorer that reads them, as it would read any text. Raises UsageError where the folder is there
    already, or the scores are all the same.
    """
    from evaluators.classifier import load_classifier
    from evaluators.networks.agreement import agreement
    from evaluators.networks.fit_scorer import fit
    from evaluators.scorer import read_scorer

    if safe(folder).exists():
        raise UsageError(f"'{folder}' is there already; name a new folder with --out")
    kept, apart = _split(graded, request.held_out, request.seed)
    if len({one.score for one in kept}) < 2:
        raise UsageError("all scores that the model would learn from are the same; there is nothing to learn")
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    described = _described(kept, request)
    (unfinished / "scorer.toml").write_text(described, "utf-8")
    scorer = read_scorer(unfinished / "scorer.toml")
    with progress.stretch(f"fitting {request.kind} to {len(kept):,} texts", "steps") as bar:
        fit([one.text for one in kept], [one.score for one in kept], request, unfinished, bar.update)
    reader = load_classifier(scorer)
    pairs: list[tuple[float, float]] = []
    with progress.stretch("reading the texts held out", "texts") as bar:
        for done, one in enumerate(apart, start=1):
            if (read := reader.read(one.text)) is not None:
                pairs.append((one.score, read))
            bar.update(done, len(apart))
    if unread := len(apart) - len(pairs):
        progress.note(f"{unread} of the texts held out could not be read: they have no sentence end, or no tokens")
    if len(pairs) < 2:
        raise UsageError("the texts held out have no sentence end, or no tokens for the model; see --reads and --base")
    found = agreement([given for given, _ in pairs], [read for _, read in pairs])
    told = f"# {found.texts} texts held out, seed {request.seed}: {found}\n"
    (unfinished / "scorer.toml").write_text(told + described, "utf-8")
    unfinished.rename(folder)
    return found


def _graded(row: dict[str, str | None], where: str) -> Graded:
    text, written = row["text"], row["score"]
    if None in row or text is None or written is None:
        raise UsageError(f"{where}: it has another number of fields than the first line")
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
    """Those to learn from, and the share to be held out: two of them at least."""
    order = list(graded)
    random.Random(seed).shuffle(order)
    count = min(max(2, round(held_out * len(order))), len(order) - 2)
    return order[count:], order[:count]


def _described(kept: Sequence[Graded], request: TrainScorerRequest) -> str:
    least, most = min(one.score for one in kept), max(one.score for one in kept)
    model = "an LSTM" if request.kind == "lstm" else f"a transformer ({request.base or 'from nothing'})"
    values = {
        "name": request.name,
        "model": ".",
        "output": "raw",
        "reads": request.reads,
        "direction": "higher",
        "definition": f"what {model} says that was fitted to {len(kept)} texts with scores from {least:g} to {most:g}",
        "source": "newwiki train-scorer",
    }
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in values.items())
