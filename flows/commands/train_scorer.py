"""`newwiki train-scorer`: trains a scorer of your own on graded texts."""

from pathlib import Path

from flows.jobs.job import Answer, Here, arrow_table, job
from flows.printing import say
from newwiki.fields import field
from newwiki.training_requests import TrainScorerRequest

_COLUMNS = ("texts", "pearson", "rmse", "qwk")


@job(
    TrainScorerRequest,
    group="make",
    summary="Train a scorer on graded texts.",
    examples=("newwiki train-scorer ratings.csv --out stars",),
    formats=False,
    result="""\
Returns a row with the agreement on the held-out texts: `texts`, `pearson`, `rmse` and `qwk` (quadratic weighted
kappa).""",
)
def train_scorer(
    request: TrainScorerRequest,
    here: Here,
    *,
    table: Path = field(help="Graded texts: a CSV with the columns text and score.", argument=True, metavar="CSV"),
    out: Path = field(help="New folder to write the scorer to.", writes="path"),
) -> Answer:
    """Train a scorer on a CSV of text,score, and test it on held-out texts.

    Use the result with --scorer OUT/scorer.toml --metrics NAME.
    """
    from flows.training.scorer_training import read_graded
    from flows.training.scorer_training import train_scorer as train

    agreement = train(read_graded(table), request, out, here.progress)

    def show(form: str) -> None:
        say(f"{agreement.texts} held-out texts: {agreement}")
        say(f"newwiki evaluate … --scorer {out}/scorer.toml --metrics {request.name}")

    return Answer(lambda: arrow_table(_COLUMNS, [[getattr(agreement, name) for name in _COLUMNS]]), show)
