"""The page of two runs: the verdict, the metrics, and the articles on which the runs differ, with both texts."""

import difflib
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from markupsafe import Markup, escape
from starlette.requests import Request

from flows.comparing.judge_pair import Judgement, cutoffs_are_known, judge_pair, most_different
from flows.comparing.overall_verdict import MetricOutcome
from flows.presenting.numbers import estimate, signed
from flows.presenting.verdict_sentence import verdict_sentence
from flows.report.browser.live import Live, records
from flows.report.browser.pages import HtmlPage, NotFound
from flows.report.browser.run_pages import named
from newwiki.errors import TerminalError, UsageError, did_you_mean
from newwiki.verdict_request import VerdictRequest
from storage.verifications import words_below_verified

_ARTICLES = 20  # articles on the page
_WORD = re.compile(r"\s+|\S+")


def compare(live: Live, request: Request) -> HtmlPage:
    """Compare the two runs of the address (`run`, twice), with the articles in the order of a metric (`order`)."""
    run_ids = request.query_params.getlist("run")
    if len(run_ids) != 2 or run_ids[0] == run_ids[1]:
        raise UsageError("name two different runs to compare: tick two on the page of a snapshot")
    with live.read() as connection:
        candidate, baseline = (named(live, run_id) for run_id in run_ids)
        shown: dict[str, Any] = {"candidate": candidate, "baseline": baseline, "refusal": None}
        asked = VerdictRequest(candidate=candidate.run_id, baseline=baseline.run_id)
        try:
            verdict = judge_pair(live.database, asked)
            judgement = judge_pair(live.database, replace(asked, metrics="all"))
        except (TerminalError, UsageError) as error:
            return HtmlPage("compare.html", shown | {"refusal": str(error)})
        by = _outcome(judgement, request.query_params.get("order") or verdict.verdict.metric)
        evaluator_id = judgement.evaluators[by.metric]
        articles = most_different(
            live.database, candidate, baseline, by.metric, evaluator_id, most=_ARTICLES,
            after_cutoff=cutoffs_are_known(candidate, baseline),
        )  # fmt: skip
        pages = [article.page_id for article in articles]
        levels = words_below_verified(live.database, [candidate.run_id, baseline.run_id])
        rows = records(connection, "browse_pair_texts", [candidate.run_id, baseline.run_id], pages)
    texts = {(row["run_id"], row["page_id"]): row["text"] for row in rows}
    largest = max((abs(article.difference) for article in articles), default=0.0)
    return HtmlPage(
        "compare.html",
        shown
        | {"sentence": verdict_sentence(verdict.verdict, candidate, baseline), "judgement": judgement, "by": by}
        | {"articles": articles, "largest": largest, "texts": _marked(texts, candidate.run_id, baseline.run_id, pages)}
        | {"estimate": _estimate, "signed": signed}
        | {"level": lambda run, metric: levels.get((run.run_id, judgement.evaluators[metric]))},
    )


def _outcome(judgement: Judgement, metric: str) -> MetricOutcome:
    """Return the outcome of the metric. Raises NotFound for an unknown metric."""
    known = {outcome.metric: outcome for outcome in judgement.outcomes}
    if metric not in known:
        raise NotFound(f"these runs are not compared by '{metric}'{did_you_mean(metric, known)}")
    return known[metric]


def _estimate(outcome: MetricOutcome) -> str:
    return estimate(outcome.difference, outcome.low, outcome.high, signed, outcome.lacking)


def _marked(
    texts: Mapping[tuple[str, int], str | None], one: str, other: str, pages: list[int]
) -> dict[int, tuple[Markup, Markup]]:
    """Return both texts of each article, with the words marked that the other text does not have there."""
    return {page: differences(texts.get((one, page)) or "", texts.get((other, page)) or "") for page in pages}


def differences(text: str, other_text: str) -> tuple[Markup, Markup]:
    """Return two texts with their differing words marked."""
    first, second = _WORD.findall(text), _WORD.findall(other_text)
    blocks = difflib.SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    sides: tuple[list[Markup], list[Markup]] = ([], [])
    at = [0, 0]
    for block in blocks:
        for side, (words, begin) in enumerate(((first, block.a), (second, block.b))):
            if differing := "".join(words[at[side] : begin]):
                sides[side].append(Markup("<mark>{}</mark>").format(differing))
            sides[side].append(escape("".join(words[begin : begin + block.size])))
            at[side] = begin + block.size
    return Markup("").join(sides[0]), Markup("").join(sides[1])
