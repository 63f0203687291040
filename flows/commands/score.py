"""`newwiki score`: scores for stored runs that lack them, and for texts that were generated elsewhere."""

from flows.commands.leaderboard import leaderboard_answer
from flows.jobs.job import Answer, Here, job
from flows.jobs.running import RUNNER, check_runner
from newwiki.comparison_requests import LeaderboardRequest
from newwiki.request import ScoringRequest
from newwiki.settings import SCORERS


@job(
    ScoringRequest,
    group="make",
    summary="Score stored runs, or texts generated elsewhere.",
    examples=("newwiki score --missing --metrics all", "newwiki score texts.jsonl --metrics rep_4,bleu"),
    settings=SCORERS,
    result="Returns the leaderboard.",
)
def score(request: ScoringRequest, here: Here, *, runner: str | None = RUNNER) -> Answer:
    """Score stored runs, or texts that were generated elsewhere. Stored scores are not computed again.

    FILE has one JSON object per line: a text with the page_id or title of its article, or a text with its own prompt
    and reference. Sample logs of lm-evaluation-harness are accepted as they are.
    """
    check_runner(runner)
    if runner:
        from flows.scoring.flow import score as flow

        evaluators: set[str] = flow(request, here.settings, runner=runner, quiet=here.quiet)
    else:
        from flows.scoring.score_all import score_all

        evaluators = score_all(here.database, request, here.settings, here.progress)
    return leaderboard_answer(LeaderboardRequest(), here, evaluators)
