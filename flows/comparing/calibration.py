"""Read the anchors of a board's snapshots, and put its numbers on the scale from another article to the article."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from evaluators import calibration
from evaluators.calibration import Sight
from evaluators.statistics import MeanInterval
from flows.presenting.numbers import NONE as NO_NUMBER
from flows.presenting.numbers import decimals, fixed
from newwiki.anchors import ANCHORS, ARTICLE, OTHER, nearest_length
from newwiki.columns import READING
from newwiki.records import Direction
from storage import anchors, comparison, snapshots
from storage.anchors import AnchorMean
from storage.database import Database

Pages = NDArray[np.int64]

STYLE = "this metric describes style; it cannot tell the article from another"
FOOLED = "this metric prefers the first sentence, repeated, to a text of which half is the article"


@dataclass(frozen=True)
class Anchors:
    """The anchors of a snapshot at the length nearest to the median of its runs.

    `means` are by anchor and metric. `sights` says for each metric with a better direction how well it tells the
    article from another.
    """

    snapshot_id: str
    words: int
    means: Mapping[tuple[str, str], AnchorMean]
    sights: Mapping[str, Sight]

    def shown(self, metric: str) -> list[str]:
        """Return the means of all anchors by a metric, with the same decimals."""
        means = [self.means[anchor, metric].mean if (anchor, metric) in self.means else None for anchor in ANCHORS]
        places = decimals([mean for mean in means if mean is not None])
        return [NO_NUMBER if mean is None else fixed(mean, places) for mean in means]

    @property
    def fooled(self) -> list[str]:
        """The metrics that see content and prefer the first sentence, repeated, to a text of which half is true."""
        return [metric for metric in self.seers if self.sights[metric].prefers_repetition]

    @property
    def seers(self) -> list[str]:
        """The metrics that see content, the one that orders most anchors rightly first."""
        seeing = [metric for metric, seen in self.sights.items() if seen.sees_content]
        return sorted(seeing, key=lambda metric: -self.sights[metric].orders)

    @property
    def blind(self) -> list[str]:
        """The metrics with a better direction that cannot tell the article from another."""
        return [metric for metric, seen in self.sights.items() if seen.share.low is not None and not seen.sees_content]


@dataclass(frozen=True)
class Calibrations:
    """Calibrated numbers by run, part of its articles (`WHOLE` for all) and metric, and the snapshots' anchors."""

    numbers: Mapping[tuple[str, str, str], MeanInterval]
    anchors: Sequence[Anchors]


Parts = Mapping[str, Mapping[str, Pages]]  # by run and part

NONE = Calibrations({}, ())
WHOLE = ""


def seeing_content(
    database: Database, runs: Mapping[str, str], evaluators: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Return the metrics that see content on the snapshots of these runs, with their evaluators, and a note on them.

    Bits per byte are the first if models have read the articles, then the metric that orders most anchors rightly.
    Returns no metric if none is known: without anchors, with fewer than 13 articles, or if none sees content.
    """
    scored = calibrate(database, runs, evaluators).anchors
    known = [found for found in scored if found.seers or found.blind]
    seers = known[0].seers if known else []
    chosen = {name: evaluators[name] for name in seers if all(name in found.seers for found in known)}
    if not chosen:
        lacking = [name for name in sorted({*runs.values()}) if snapshots.find(database, name) and not scored]
        remedy = f"`newwiki score --run {' --run '.join(runs)}` scores them"
        return {}, [
            f"tests every metric with a better direction: no anchor texts of {' and '.join(lacking)} are scored; "
            f"{remedy}"
        ] if lacking else []
    read = {READING: evaluators[READING]} if READING in evaluators else {}
    others = ", ".join(name for name in evaluators if name not in {**read, **chosen})
    where = " and ".join(found.snapshot_id for found in known)
    what = f"tests {READING} of the models and the metrics" if read else "tests the metrics"
    more = f"; --metrics all also tests {others}" if others else ""
    return {**read, **chosen}, [f"{what} that see content on {where}: {', '.join(chosen)}{more}"]


def calibrate(
    database: Database, runs: Mapping[str, str], evaluators: Mapping[str, str], parts: Parts | None = None
) -> Calibrations:
    """Calibrate runs, given as run id and snapshot id, by these metrics with their evaluators.

    A run is calibrated by the anchors whose length is nearest to the median of its own texts. A metric has calibrated
    numbers if it has a better direction, and if it can tell the article from another at that length, on all articles.
    With `parts`, each run has a number for each of its parts, and none for all articles.
    """
    run_ids_by_snapshot: dict[str, list[str]] = defaultdict(list)
    for run_id, snapshot_id in runs.items():
        run_ids_by_snapshot[snapshot_id].append(run_id)
    with database.read():
        directions: dict[str, Direction] = dict(database.rows("directions", list(evaluators)))
        directed = {metric: evaluators[metric] for metric in evaluators if directions.get(metric, "none") != "none"}
        stored = anchors.means(database, list(run_ids_by_snapshot))
        words = anchors.median_words(database, list(runs))
        numbers: dict[tuple[str, str, str], MeanInterval] = {}
        shown = []
        for snapshot_id, run_ids in run_ids_by_snapshot.items():
            means = [mean for mean in stored if mean.snapshot_id == snapshot_id]
            by_length: dict[int, list[str]] = defaultdict(list)
            for run_id in run_ids:
                if run_id in words:
                    by_length[nearest_length(words[run_id])].append(run_id)
            lengths = {mean.words for mean in means}
            sights = {}
            for length, same_length in by_length.items():
                if length in lengths:
                    found, sights[length] = _of_length(
                        database, snapshot_id, length, same_length, directed, directions, parts
                    )
                    numbers |= found
            if sights:
                middle = median(words[run_id] for run_id in run_ids if run_id in words)
                length = min(sights, key=lambda length: abs(length - middle))
                at_length = {
                    (mean.anchor, mean.metric): mean
                    for mean in means
                    if mean.words == length and evaluators.get(mean.metric) == mean.evaluator_id
                }
                shown.append(Anchors(snapshot_id, length, at_length, sights[length]))
    return Calibrations(numbers, shown)


def _of_length(
    database: Database,
    snapshot_id: str,
    length: int,
    run_ids: Sequence[str],
    evaluators: Mapping[str, str],
    directions: Mapping[str, Direction],
    parts: Parts | None,
) -> tuple[dict[tuple[str, str, str], MeanInterval], dict[str, Sight]]:
    """Return the calibrated numbers of these runs, and the sights of the metrics that have anchors of this length."""
    texts = comparison.page_means(database, run_ids, evaluators)
    ends = anchors.values(database, snapshot_id, length, evaluators, texts.pages.tolist())
    numbers, sights = {}, {}
    for place, metric in enumerate(evaluators):
        article, other = ends[ARTICLE][place], ends[OTHER][place]
        seen = calibration.sight({anchor: numbers[place] for anchor, numbers in ends.items()}, directions[metric])
        if seen.share.mean is None:
            continue
        sights[metric] = seen
        if seen.sees_content:
            for run, run_id in enumerate(run_ids):
                for part, pages in ({WHOLE: texts.pages} if parts is None else parts.get(run_id, {})).items():
                    of_part = np.where(np.isin(texts.pages, pages), texts.values[run, place], np.nan)
                    value = calibration.calibrated(of_part, article, other)
                    if value.mean is not None:
                        numbers[run_id, part, metric] = value
    return numbers, sights
