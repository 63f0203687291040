"""The page of a run: its properties, progress, numbers and prompts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from starlette.datastructures import QueryParams
from starlette.requests import Request

from flows.comparing.headline import FALLBACK
from flows.report.browser.live import Live, Record, records
from flows.report.browser.pages import ROWS, HtmlPage, NotFound, directions, metrics_in_order, offset
from flows.report.browser.run_progress import command, progresses
from newwiki.errors import UsageError, did_you_mean
from storage.comparison import contenders
from storage.run_names import Contender
from storage.verifications import words_below_verified

_TITLE = "title"  # the order of prompts by title, in an address


@dataclass(frozen=True)
class Order:
    """The order of the prompts of a run: by title, or by the mean score of their completions."""

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
        contender = named(live, request.path_params["run_id"])
        [run_row] = records(connection, "browse_run", contender.run_id)
        [texts] = records(connection, "browse_run_texts", contender.run_id)
        snapshots = records(connection, "snapshot_one", contender.snapshot_id)
        better = directions(connection)
        metrics = metrics_in_order(
            records(connection, "browse_run_metrics", f"reference:{contender.snapshot_id}", contender.run_id), better
        )
        levels = words_below_verified(live.database, [contender.run_id, f"reference:{contender.snapshot_id}"])
        scorings = records(connection, "browse_unfinished_scorings", contender.run_id)
        order = _order(request.query_params, metrics)
        prompts = records(
            connection, "browse_prompts", contender.run_id, order.metric, order.descending, None, ROWS, start
        )
        pages = [row["page_id"] for row in prompts]
        texts_of_pages = records(connection, "browse_pair_texts", [contender.run_id], pages)
        progress = progresses(connection, [run_row]).get(contender.run_id)
    for row in metrics:
        row["level"] = levels.get((contender.run_id, row["evaluator_id"]))
        row["reference_level"] = levels.get((f"reference:{contender.snapshot_id}", row["evaluator_id"]))
    articles = snapshots[0]["articles"] if snapshots else None
    goes_on = command(run_row, articles, str(live.database.path)) if progress else None
    shown = {"run": run_row | texts, "contender": contender, "metrics": metrics, "order": order, "directions": better}
    shown |= {"order_level": next((row["level"] for row in metrics if row["metric"] == order.metric), None)}
    shown |= {"texts": {row["page_id"]: row["text"] for row in texts_of_pages}, "scale": _scale(prompts)}
    shown |= {"progress": progress, "goes_on": goes_on, "scorings": scorings, "now": datetime.now(UTC)}
    shown |= {"sheet": json.loads(run_row["prompt_sheet"]) if run_row["prompt_sheet"] else None}
    return HtmlPage("run.html", shown | {"prompts": prompts, "start": start, "rows": ROWS})


def named(live: Live, name: str) -> Contender:
    """Return the run with this name, as `newwiki compare` resolves it.

    Raises NotFound for an unknown name and for the articles of a snapshot.
    """
    try:
        (contender,) = contenders(live.database, [name])
    except UsageError as error:
        raise NotFound(str(error)) from None
    if contender.run_id.startswith("reference:"):
        raise NotFound(f"'{name}' is not a run but the articles of the snapshot {contender.snapshot_id}")
    return contender


def _order(parameters: QueryParams, metrics: Sequence[Record]) -> Order:
    """Return the order of the address. Without one, the worst prompts by S-BERT come first, or by another metric.

    `order=title` asks for titles.
    """
    if parameters.get("order") == _TITLE:
        return Order(None, descending=False)
    of_texts = [row for row in metrics if row["scope"] == "text"]
    better = [row for row in of_texts if row["direction"] != "none"]
    directed = next((row for row in better if row["metric"] == FALLBACK), next(iter(better), None))
    if not parameters.get("order") and directed:
        return Order(directed["metric"], descending=directed["direction"] == "lower")
    return order_of(parameters, [row["metric"] for row in of_texts])


def _scale(prompts: Sequence[Record]) -> tuple[float, float] | None:
    """Return the lowest and the highest score of the prompts that are shown, if they differ."""
    values = [row["value"] for row in prompts if row.get("value") is not None]
    return (min(values), max(values)) if values and min(values) < max(values) else None


def order_of(parameters: QueryParams, known: list[str] | None) -> Order:
    """Return the order that the address asks for, by one of the `known` metrics, or by any metric if it is None.

    Raises NotFound for an unknown metric, and UsageError for an invalid direction.
    """
    metric, first = parameters.get("order") or None, parameters.get("first") or "lowest"
    if first not in ("lowest", "highest"):
        raise UsageError(f"first={first} is neither lowest nor highest")
    if metric and known is not None and metric not in known:
        raise NotFound(f"this run's texts are not scored by '{metric}'{did_you_mean(metric, known)}")
    return Order(metric, first == "highest")
