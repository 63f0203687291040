"""The pages of a run: what it is, and prompt by prompt what it wrote beside what people wrote."""

from dataclasses import dataclass
from typing import Any

import duckdb
from starlette.datastructures import QueryParams
from starlette.requests import Request

from flows.report.browser.live import Live, Record, records
from flows.report.browser.pages import ROWS, HtmlPage, NotFound, number, offset
from flows.report.checked_sentences import VERDICTS, by_text, checked_alone
from newwiki.errors import UsageError, did_you_mean
from newwiki.text.prompts import fill
from storage.comparison import Contender, contenders, every


@dataclass(frozen=True)
class Order:
    """How the prompts of a run are sorted: by title, or by the mean number of their completions."""

    metric: str | None
    descending: bool

    @property
    def address(self) -> str:
        if not self.metric:
            return ""
        return f"order={self.metric}&first={'highest' if self.descending else 'lowest'}"


def run(live: Live, request: Request) -> HtmlPage:
    start = offset(request.query_params)
    with live.read() as connection:
        one = _named(live, request.path_params["run_id"])
        found = records(connection, "browse_run", one.run_id)[0]
        metrics = records(connection, "browse_run_metrics", f"reference:{one.snapshot_id}", one.run_id)
        order = _order(request.query_params, [row["metric"] for row in metrics if row["scope"] == "text"])
        prompts = records(connection, "browse_prompts", one.run_id, order.metric, order.descending, None, ROWS, start)
    shown = {"run": found, "contender": one, "metrics": metrics, "order": order}
    return HtmlPage("run.html", shown | {"prompts": prompts, "start": start, "rows": ROWS})


def prompt(live: Live, request: Request) -> HtmlPage:
    asked, page_id = request.query_params, request.path_params["page_id"]
    with live.read() as connection:
        one = _named(live, request.path_params["run_id"])
        found = records(connection, "browse_run", one.run_id)[0]
        order = _order(asked, None)
        place = records(connection, "browse_prompts", one.run_id, order.metric, order.descending, page_id, 1, 0)
        if not place:
            raise NotFound(f"run {one.run_id} has written nothing for page {page_id}")
        article = next(iter(records(connection, "browse_article", one.snapshot_id, page_id)), None)
        others = [other for other in _contenders(live) if other.snapshot_id == one.snapshot_id and other != one]
        beside = _named(live, asked["with"]) if asked.get("with") else None
        columns = [_column(connection, run, page_id) for run in (one, beside) if run]
        articles = f"reference:{one.snapshot_id}"
        reference = _scores(connection, articles, page_id).get(0, [])
        shown = [articles, *(column["contender"].run_id for column in columns)]
        claims = by_text(records(connection, "shown_claims", shown, [page_id]))
    checkers = {name: verdicts[0]["model"] for of_text in claims.values() for name, verdicts in of_text.items()}
    checker = asked.get("claims") or min(checkers, default="")
    if checker and checker not in checkers:
        raise NotFound(f"no claims of these texts are checked by '{checker}'{did_you_mean(checker, checkers)}")
    text = fill(found["prompt_template"], article["title"], article["first_sentence"]) if article else None
    return HtmlPage(
        "prompt.html",
        {"run": found, "contender": one, "article": article, "place": place[0], "prompt": text, "columns": columns}
        | {"reference": reference, "others": others, "beside": beside, "order": order}
        | {
            "sample": number(asked, "sample"),
            "checkers": checkers,
            "checker": checker,
            "claims_asked": asked.get("claims", ""),
            "verdicts": VERDICTS,
        }
        | {"checked": lambda text, *key: checked_alone(text, claims.get(key, {}).get(checker, ()))},
    )


def _named(live: Live, name: str) -> Contender:
    """The run that a name means, as `newwiki compare` takes it; a snapshot's articles are none."""
    try:
        (one,) = contenders(live.database, [name])
    except UsageError as error:
        raise NotFound(str(error)) from None
    if one.run_id.startswith("reference:"):
        raise NotFound(f"'{name}' are the articles of the snapshot {one.snapshot_id}, and no run")
    return one


def _contenders(live: Live) -> list[Contender]:
    return [one for one in every(live.database) if not one.run_id.startswith("reference:")]


def _column(connection: duckdb.DuckDBPyConnection, one: Contender, page_id: int) -> dict[str, Any]:
    """A run's completions of a prompt, each with its scores; without any the scores of what it has `read`."""
    scores = _scores(connection, one.run_id, page_id)
    completions = records(connection, "browse_completions", one.run_id, page_id)
    written = [row | {"scores": scores.get(row["sample"], [])} for row in completions]
    return {"contender": one, "completions": written, "read": [] if written else scores.get(0, [])}


def _scores(connection: duckdb.DuckDBPyConnection, run_id: str, page_id: int) -> dict[int, list[Record]]:
    by_sample: dict[int, list[Record]] = {}
    for row in records(connection, "browse_scores", run_id, page_id):
        by_sample.setdefault(row["sample"], []).append(row)
    return by_sample


def _order(asked: QueryParams, known: list[str] | None) -> Order:
    metric, first = asked.get("order") or None, asked.get("first") or "lowest"
    if first not in ("lowest", "highest"):
        raise UsageError(f"first={first} is neither lowest nor highest")
    if metric and known is not None and metric not in known:
        raise NotFound(f"this run's texts are not scored by '{metric}'{did_you_mean(metric, known)}")
    return Order(metric, first == "highest")
