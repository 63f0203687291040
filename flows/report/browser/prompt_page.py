"""The page of a prompt: a run's texts next to the article, and next to another run."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import duckdb
from markupsafe import Markup
from starlette.requests import Request

from flows.report.browser.entity_marks import EntityMarks
from flows.report.browser.live import Live, Record, records
from flows.report.browser.pages import HtmlPage, NotFound, directions, metrics_in_order, number
from flows.report.browser.run_pages import named, order_of
from flows.report.marked_text import VERDICTS, Claims, Key, by_text, checked, checked_alone
from newwiki.errors import UsageError, did_you_mean
from newwiki.prompting.chat_prompts import turns
from newwiki.records import Fingerprint
from storage.comparison import every
from storage.run_names import Contender
from storage.verifications import words_below_verified

Levels = Mapping[tuple[str, str], str]  # words by run and evaluator


def prompt(live: Live, request: Request) -> HtmlPage:
    parameters, page_id = request.query_params, request.path_params["page_id"]
    if parameters.get("entities", "") not in ("", "marked"):
        raise UsageError(f"entities={parameters['entities']} is not valid; use entities=marked, or leave it out")
    with live.read() as connection:
        contender = named(live, request.path_params["run_id"])
        run = records(connection, "browse_run", contender.run_id)[0]
        order = order_of(parameters, None)
        place = records(connection, "browse_prompts", contender.run_id, order.metric, order.descending, page_id, 1, 0)
        if not place:
            raise NotFound(f"run {contender.run_id} has no completion for page {page_id}")
        article = next(iter(records(connection, "browse_article", contender.snapshot_id, page_id)), None)
        others = [
            other for other in _contenders(live) if other.snapshot_id == contender.snapshot_id and other != contender
        ]
        beside = named(live, parameters["with"]) if parameters.get("with") else None
        better = directions(connection)
        compared = [run for run in (contender, beside) if run]
        levels = words_below_verified(
            live.database, [f"reference:{contender.snapshot_id}", *(run.run_id for run in compared)]
        )
        columns = [_column(connection, run, page_id, better, levels) for run in compared]
        articles = f"reference:{contender.snapshot_id}"
        reference = _scores(connection, articles, page_id, better, levels).get(0, [])
        shown = [articles, *(column["contender"].run_id for column in columns)]
        claims = by_text(records(connection, "shown_claims", shown, [page_id]))
        makers = records(connection, "browse_evaluators", contender.run_id) if parameters.get("entities") else None
    checkers = {name: verdicts[0]["model"] for by_checker in claims.values() for name, verdicts in by_checker.items()}
    checker = parameters.get("claims") or min(checkers, default="")
    if checker and checker not in checkers:
        raise NotFound(f"no claims of these texts are checked by '{checker}'{did_you_mean(checker, checkers)}")
    asked = turns(run["prompt_template"], article["title"], article["first_sentence"]) if article else None
    written = [completion["text"] for column in columns for completion in column["completions"]]
    references = [article["completion"]] if article else []
    entities = None
    if makers is not None:
        evaluators = [Fingerprint(**row) for row in makers]
        entities = request.app.state.entity_finders.find(evaluators, [*references, *written])
    return HtmlPage(
        "prompt.html",
        {"run": run, "contender": contender, "article": article, "place": place[0], "prompt": asked, "columns": columns}
        | {"reference": reference, "others": others, "beside": beside, "order": order, "directions": better}
        | {"sample": number(parameters, "sample"), "verdicts": VERDICTS, "entities": entities}
        | {"checkers": checkers, "checker": checker, "claims_asked": parameters.get("claims", "")}
        | {"shown": partial(_shown, claims, checker, entities, references, written)},
    )


def _shown(
    claims: Mapping[Key, Claims],
    checker: str,
    entities: EntityMarks | None,
    references: Sequence[str],
    written: Sequence[str],
    text: str,
    *key: Any,
) -> Markup:
    """Return a text with its sentences marked by their verdicts, and its entities marked.

    An article's entities are compared with those of all completions.
    """
    verdicts = claims.get(key, {}).get(checker, ())
    if entities is None:
        return checked_alone(text, verdicts)
    is_article = key[0].startswith("reference:")
    return checked(text, verdicts, len(text), entities.inner(text, written if is_article else references))


def _contenders(live: Live) -> list[Contender]:
    return [run for run in every(live.database) if not run.run_id.startswith("reference:")]


def _column(
    connection: duckdb.DuckDBPyConnection, contender: Contender, page_id: int, better: Mapping[str, str], levels: Levels
) -> dict[str, Any]:
    """Return a run's completions of a prompt, each with its scores.

    Without completions, return the scores of the article that the model `read`.
    """
    scores = _scores(connection, contender.run_id, page_id, better, levels)
    completions = records(connection, "browse_completions", contender.run_id, page_id)
    written = [row | {"scores": scores.get(row["sample"], [])} for row in completions]
    return {"contender": contender, "completions": written, "read": [] if written else scores.get(0, [])}


def _scores(
    connection: duckdb.DuckDBPyConnection, run_id: str, page_id: int, better: Mapping[str, str], levels: Levels
) -> dict[int, list[Record]]:
    by_sample: dict[int, list[Record]] = {}
    for row in metrics_in_order(records(connection, "browse_scores", run_id, page_id), better):
        row["level"] = levels.get((run_id, row["evaluator_id"]))
        by_sample.setdefault(row["sample"], []).append(row)
    return by_sample
