"""State a verdict on a pair of runs in one sentence, for a pull request, a terminal and a page alike."""

from evaluators.statistics import FEWEST, TOO_FEW
from flows.comparing.overall_verdict import Verdict
from flows.presenting.numbers import counted, digits, estimate, signed
from storage.run_names import Contender


def verdict_sentence(verdict: Verdict, candidate: Contender, baseline: Contender) -> str:
    """Return a sentence such as `mine/greedy is better than gpt2/greedy: sbert +0.031 [+0.012, +0.050]; with 100
    articles a difference of 0.020 would be seen`.

    Runs whose names are equal have their ids behind them.
    """
    ours, theirs = candidate.words, baseline.words
    if ours == theirs:
        ours, theirs = (f"{run.words} ({run.run_id})" for run in (candidate, baseline))
    return f"{_main_clause(verdict, ours, theirs)}; {_articles(verdict)}"


def _main_clause(verdict: Verdict, candidate: str, baseline: str) -> str:
    numbers = estimate(verdict.difference, verdict.low, verdict.high, signed, verdict.no_interval)
    effect = f"{verdict.metric} {numbers}"
    more = f", {_votes(verdict)}" if verdict.metrics > 1 else ""
    if verdict.verdict in ("better", "worse"):
        return f"{candidate} is {verdict.verdict} than {baseline}: {effect}{more}"
    if verdict.verdict == "different":
        return f"{candidate} differs from {baseline}: {effect}, and no side of it is better"
    if verdict.verdict == "within the margin":
        return f"{candidate} and {baseline} differ by less than {verdict.margin:g}: {effect}"
    if verdict.better_by:
        better, worse = ", ".join(verdict.better_by), ", ".join(verdict.worse_by)
        return f"cannot tell whether {candidate} is better than {baseline}: better by {better}, worse by {worse}"
    return f"cannot tell {candidate} from {baseline}: {effect}{more}"


def _votes(verdict: Verdict) -> str:
    """Return how many metrics agree, such as `better by 3 of 4 metrics`."""
    for side, names in (("better", verdict.better_by), ("worse", verdict.worse_by)):
        if names:
            return f"{side} by {len(names)} of {verdict.metrics} metrics"
    return f"by none of {verdict.metrics} metrics after Holm's correction"


def _articles(verdict: Verdict) -> str:
    """Return how many articles the verdict rests on, and the difference that they would show."""
    articles = counted(verdict.articles, "article")
    if verdict.articles_of_run is not None:
        articles = f"{verdict.articles:,} of {counted(verdict.articles_of_run, 'article')}"
    if verdict.no_interval == TOO_FEW:
        return f"{articles} are too few for a verdict, which takes {FEWEST} or more"
    if verdict.smallest_visible is None or verdict.verdict == "within the margin":
        return f"on {articles}"
    if verdict.articles_of_run is not None and verdict.verdict != "cannot tell":
        return f"{articles} were enough, at {counted(verdict.looks, 'look')}"
    return f"with {articles} a difference of {digits(verdict.smallest_visible)} would be seen"
