"""What is said of runs of two months and of anchors is that of a plain computation from the stored scores."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from flows.comparing.differences import compare_all
from flows.experiments.linking.result_tables import LinkedMonths
from newwiki.comparison_requests import ComparisonRequest
from storage import experiments
from storage.database import Database
from tests.flows.experiments import recomputed
from tests.flows.experiments.linking.months import ARTICLES, AUGUST, SEPTEMBER, WIKI, add_month, drawn, link
from tests.flows.experiments.linking.recomputed import odd_models, run_apart, run_apart_by_slope
from tests.flows.scored import add_scored_runs

MONTHS = (AUGUST, SEPTEMBER)
# By anchor its number in August, and what it gains by each metric
ANCHORS = {"one": (0.3, 0.101, 0.02), "two": (0.4, 0.1, -0.01), "three": (0.5, 0.099, 0.0), "four": (0.6, 0.1, 0.047)}
ODD = {"three": 0.02}  # which gains by so much more with longer texts


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Database, str]:
    """Four anchors by two metrics under two protocols, of which one model has two decoders in the second, and the
    answer; `old` of August is as good as `new` of September by `sbert`, and worse than it by `bleu`."""
    database = Database(tmp_path_factory.mktemp("linked") / "newwiki.duckdb")
    numbers: dict[str, dict[str, NDArray[np.float64]]] = {}
    about: dict[str, dict[str, Any]] = {}
    for place, month in enumerate(MONTHS):
        add_month(database, month)
        for name, (ability, *gains) in ANCHORS.items():
            for length, decoder in ((8, "greedy"), (64, "greedy"), *([(64, "beam")] if name == "one" else [])):
                run_id = f"{name}-{decoder}-{length}-{month[-2:]}"
                more = [place * (gain + ODD.get(name, 0.0) * (length == 64)) for gain in gains]
                numbers[run_id] = {
                    metric: drawn(month, ability, gained=gain, seed=at)
                    for at, (metric, gain) in enumerate(zip(("sbert", "bleu"), more, strict=True))
                }
                about[run_id] = {"model": name, "decoder": decoder, "max_new_tokens": length}
        for own, length in ((("old", "new")[place], 8), (("old-long", "new-long")[place], 64)):
            run_id = f"{own}-{month[-2:]}"
            numbers[run_id] = {"sbert": drawn(month, 0.45 + 0.1 * place), "bleu": drawn(month, 0.45 + 0.2 * place)}
            about[run_id] = {"model": own, "max_new_tokens": length}
    for run_id, of_run in about.items():
        of_run |= {"model_sha256": of_run["model"], "snapshot_id": f"{WIKI}-2026-{run_id[-2:]}", "prompts": ARTICLES}
    first_pages = {run_id: int(run_id[-2:]) * 1000 for run_id in about}
    add_scored_runs(database, numbers, about=about, first_pages=first_pages)
    return database, link(database)


def scores(database: Database) -> Mapping[tuple[str, str], NDArray[np.float64]]:
    """By run and metric those of the articles in their order."""
    found: dict[tuple[str, str], list[float]] = {}
    with database.read() as connection:
        sql = "select run_id, metric, value from scores order by page_id"
        for run_id, metric, value in connection.execute(sql).fetchall():
            found.setdefault((run_id, metric), []).append(value)
    return {key: np.array(values) for key, values in found.items()}


@recomputed.recomputes("linked_differences")
def test_a_difference_between_runs_of_two_months_is_that_of_the_stored_scores(linked: tuple[Database, str]) -> None:
    database, _ = linked
    ((_, _, rows, _),) = compare_all(database, ComparisonRequest(runs=("old-08", "new-09"), across=("snapshot",)))
    values, found = scores(database), {}
    for row in rows:
        earlier, later = (
            np.stack([values[f"{name}-greedy-8-{month[-2:]}", row.metric] for name in ANCHORS]) for month in MONTHS
        )
        found[row.metric] = run_apart(earlier, later, values["old-08", row.metric], values["new-09", row.metric])
        assert (row.difference, row.low, row.high, row.p) == pytest.approx(found[row.metric])
        assert row.mean_b == pytest.approx(values["new-09", row.metric].mean())
        assert row.mean_b - row.mean_a == pytest.approx(row.difference)
    corrected = recomputed.holm([found[row.metric][3] for row in rows])
    for row, p in zip(rows, corrected, strict=True):
        assert row.p_holm == pytest.approx(p)
        assert row.verdict == ("different" if p <= recomputed.LEVEL else "cannot be told apart")
    assert {row.metric: row.verdict for row in rows} == {"sbert": "cannot be told apart", "bleu": "different"}


@recomputed.recomputes("linked_differences")
def test_a_difference_by_an_estimated_slope_is_that_of_the_stored_scores(linked: tuple[Database, str]) -> None:
    """With longer texts there are five anchors, two of them of one model, which are enough for a slope."""
    database, answer = linked
    asked = ComparisonRequest(runs=("old-long-08", "new-long-09"), across=("snapshot",))
    ((_, _, rows, _),) = compare_all(database, asked)
    links = [one for one in experiments.rows(database, LinkedMonths, answer) if one.anchors == 5]
    assert all(one.slope_error is not None for one in links) and len(links) == len(rows)
    values = scores(database)
    anchors = sorted(run_id.removesuffix("-08") for run_id, metric in values if "-64-08" in run_id and metric == "bleu")
    for row in rows:
        earlier, later = (np.stack([values[f"{one}-{month[-2:]}", row.metric] for one in anchors]) for month in MONTHS)
        ends = values["old-long-08", row.metric], values["new-long-09", row.metric]
        expected = run_apart_by_slope(earlier, later, *ends, [one.split("-")[0] for one in anchors])
        assert (row.difference, row.low, row.high, row.p) == pytest.approx(expected, rel=1e-4)


@recomputed.recomputes("anchor_models")
def test_what_one_anchor_does_to_the_scale_is_that_of_the_stored_scores(linked: tuple[Database, str]) -> None:
    """The numbers of the answer's sentences: the greatest share, by metric the greatest shift, and each p below 5 %,
    corrected for the models of a link and for all four links."""
    words = " ".join(experiments.stored(*linked).words)
    values = scores(linked[0])
    shares, shifts, odd = [], dict[str, tuple[float, str]](), []
    for metric in ("sbert", "bleu"):
        for length in ("8", "64"):
            gains: dict[str, list[float]] = {}
            for run_id, _ in (key for key in values if key[1] == metric and f"-{length}-08" in key[0]):
                later = values[run_id.removesuffix("08") + "09", metric]
                gains.setdefault(run_id.split("-")[0], []).append(later.mean() - values[run_id, metric].mean())
            for model, (share, shift, p) in odd_models(gains).items():
                shares.append(share)
                shifts[metric] = max(shifts.get(metric, (0.0, "")), (abs(shift), model))
                odd += [(model, metric, 4 * p)] if 4 * p <= recomputed.LEVEL else []
    assert re.findall(r"by up to (\d+)% of its error", words) == [f"{100 * max(shares):.0f}"]
    moved = re.search(r"by at most this much: (.*?)these anchors gain otherwise", words)
    assert moved
    found = re.findall(r"(\w+) by ([\d.]+) without (\w+) \(", moved[1])
    assert {metric: (model, float(shift)) for metric, shift, model in found} == {
        metric: (model, pytest.approx(shift, rel=0.05)) for metric, (shift, model) in shifts.items()
    }
    found = re.findall(r"(\w+) by (\w+) \([^)]*, p ([^)]*)\)", words)
    assert [(model, metric) for model, metric, _ in found] == [(model, metric) for model, metric, _ in odd] != []
    assert [float(p) for *_, p in found] == pytest.approx([p for *_, p in odd], rel=0.05)
