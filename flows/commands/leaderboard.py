"""`newwiki leaderboard`: the scored runs and the articles themselves."""

from collections.abc import Collection

from flows.jobs.job import Answer, Here, arrow_table, job
from newwiki.comparison_requests import LeaderboardRequest


@job(
    LeaderboardRequest,
    group="look",
    summary="List every scored run and the articles, with intervals.",
    examples=(
        "newwiki leaderboard --snapshot latest --rank sbert",
        "newwiki leaderboard --metrics sbert,rep_4 --format csv",
    ),
    by_place=("snapshot",),
    result="""\
Returns a row for each run, and for the articles themselves (`Wikipedia`). METRIC is the mean; METRIC_sd, METRIC_low and
METRIC_high are its standard deviation and 95 % interval, and METRIC_no_interval is the reason where there is no
interval. METRIC_texts and METRIC_status say how many texts were scored, and why the others were not;
METRIC_scored_by is the evaluator. `seen_share` is the share of a run's articles that are not after the model's
`knowledge_cutoff`. With `by` there is a row for each run and `part`.""",
)
def leaderboard(request: LeaderboardRequest, here: Here) -> Answer:
    """List every scored run and the articles themselves, with intervals.

    A metric's column holds numbers of one evaluator: the newest that scored all runs. A number that does not cover all
    texts of its run is marked. Settings in which the runs differ are columns; --rank refuses to rank across settings of
    the protocol unless --across names them. --by shows a row for each run and part of its snapshot, such as short,
    medium and long articles. --after-cutoff leaves out the articles that a run's model may have seen; seen_share is
    their share, where the model's knowledge cutoff is known.
    """
    return leaderboard_answer(request, here)


def leaderboard_answer(request: LeaderboardRequest, here: Here, evaluators: Collection[str] | None = None) -> Answer:
    """Return the leaderboard, which prefers the numbers of these evaluators, by id."""
    from flows.comparing import ranked, show_board

    def value() -> object:
        board = ranked.leaderboard(here.database, request, evaluators)
        here.note(board.notes)
        return arrow_table(board.heads, [[record[name] for name in board.heads] for record in board.records])

    def show(form: str) -> None:
        here.note(show_board.show(here.database, request, form, evaluators))

    return Answer(value, show)
