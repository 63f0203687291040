"""What is fitted: a model to articles, a scorer to graded texts. What each has become, in numbers."""

from dataclasses import asdict
from pathlib import Path

import pyarrow as pa

from flows.api.arguments import asks
from flows.api.opening import PathLike, opened, rows_of
from flows.progress import reporter
from newwiki.request import FinetuneRequest, TrainScorerRequest
from storage.outputs import safe


@asks(FinetuneRequest)
def finetune(
    request: FinetuneRequest, *, out: PathLike, db: PathLike | None = None, quiet: bool = False, **settings: str
) -> pa.Table:
    """Fits a model to the articles of snapshots, writes it to the folder `out`, and gives the curve of its loss.

    The columns are `step`, `training` and `validation`, in nats a token; it has no row where all was done before.
    """
    from flows.training import finetuning

    force, database = opened(db, settings)
    done = finetuning.finetune(database, request, force, safe(Path(out), database.path), reporter(quiet))
    return rows_of([asdict(one) for one in done.curve], ("step", "training", "validation"))


@asks(TrainScorerRequest)
def train_scorer(
    request: TrainScorerRequest,
    table: PathLike,
    *,
    out: PathLike,
    db: PathLike | None = None,
    quiet: bool = False,
    **settings: str,
) -> pa.Table:
    """Fits a scorer to a CSV of text,score, writes it to the new folder `out`, and gives how it agrees with the texts
    held out: a row of `texts`, `pearson`, `rmse` and `qwk` (quadratic weighted kappa)."""
    from flows.training import scorer_training

    folder = safe(Path(out), opened(db, settings)[1].path)
    graded = scorer_training.read_graded(Path(table))
    found = scorer_training.train_scorer(graded, request, folder, reporter(quiet))
    return rows_of([asdict(found)], ("texts", "pearson", "rmse", "qwk"))
