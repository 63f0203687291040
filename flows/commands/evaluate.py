"""`newwiki evaluate`: models generate a snapshot's articles under decoders, and the texts are scored."""

from flows.commands.leaderboard import leaderboard_answer
from flows.jobs.job import Answer, Here, job
from flows.jobs.running import PREFECT, RUNNER, check_runner
from newwiki.comparison_requests import LeaderboardRequest
from newwiki.request import EvaluationRequest
from newwiki.settings import SCORERS


@job(
    EvaluationRequest,
    group="make",
    summary="Generate a snapshot's articles with models, and score them.",
    examples=(
        "newwiki evaluate gpt2 --decoder greedy --decoder sample:top_p=0.9",
        "newwiki evaluate gpt2 --decoder 'sample:top_p=[0.5,0.9]' --prompts 100",
    ),
    settings=("template", *SCORERS),
    result="""\
Returns the leaderboard of the snapshot. `batch_size` None means as many as fit. The settings include `entities`,
`embedder`, `embedder_dtype`, `embedder_backend`, `lexicon`, `likelihood_model`, `pair_scorer`, `evidence`, `scorers`
and
`template`.""",
)
def evaluate(request: EvaluationRequest, here: Here, *, prefect: bool = PREFECT, runner: str | None = RUNNER) -> Answer:
    """Generate a snapshot's articles with models under decoders, score the texts, and show the leaderboard.

    Completions and scores that are stored are not computed again: an interrupted evaluation resumes.
    """
    return evaluation_answer(request, here, prefect=prefect, runner=runner)


def evaluation_answer(request: EvaluationRequest, here: Here, *, prefect: bool, runner: str | None) -> Answer:
    """Generate and score what is missing, and return the leaderboard of the snapshot."""
    check_runner(runner)
    if prefect or runner:
        from flows.evaluating.flow import evaluate_in_flow

        evaluators = evaluate_in_flow(here.database, request, here.settings, runner=runner, quiet=here.quiet)
    else:
        from flows.evaluating.evaluate_all import evaluate_all

        evaluators = evaluate_all(here.database, request, here.settings, here.progress)
    return leaderboard_answer(LeaderboardRequest(snapshot=request.snapshot), here, evaluators)
