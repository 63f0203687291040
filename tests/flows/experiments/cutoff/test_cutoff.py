"""Toy models that have read an invented wiki's months up to one of them, or none, as `newwiki experiment cutoff` finds.

The wiki, its models and what is right are those of `benchmarks/cutoff_seeds.py`, which does the same for twenty seeds.
"""

import fcntl
import importlib.util
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from flows.cli import cli
from newwiki.snapshot import Judged, Selection, Site, Window
from storage.database import Database
from storage.snapshots import parameters_json, publish

ROOT = Path(__file__).parents[4]
SEEDS = (0, 1)
FIRST_YEAR = 2025


def loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("cutoff_seeds", ROOT / "benchmarks" / "cutoff_seeds.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


toys = loaded()


@pytest.fixture(scope="session")
def models(shared_folder: Path) -> Path:
    """A folder with the control, and of each seed the model that has read the months up to its cutoff, and none."""
    folder = shared_folder / "cutoff-models"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            base = toys.control(folder.with_suffix(".making") / "control")
            for seed in SEEDS:
                toys.trained_on_months(seed, base, base.parent)
            base.parent.rename(folder)
    return folder


def publish_months(database: Database, articles: Sequence[Any]) -> None:
    """A snapshot for each month of an invented wiki."""
    site = Site("inventedwiki", "en", "https://invented.example/wiki/")
    for month in range(toys.MONTHS):
        window = Window.month(name_of(month))
        judged = [
            Judged(
                page_id=number,
                title=one.title,
                created_at=window.start + timedelta(days=3),
                verdict="selected",
                rev_id=number,
                revised_at=window.start + timedelta(days=4),
                revisions=12,
                words=len(one.text.split()),
                first_sentence=one.first_sentence,
                completion=one.completion,
            )
            for number, one in enumerate(articles, start=1)
            if one.month == month
        ]
        name, parameters = f"inventedwiki-{name_of(month)}", parameters_json(window, Selection(), "new")
        publish(database, name, site, window, datetime(2026, 6, 1, tzinfo=UTC), parameters, judged)


def name_of(month: int) -> str:
    return f"{FIRST_YEAR + month // 12}-{month % 12 + 1:02d}"


def ask(path: Path, *arguments: str | Path) -> list[dict[str, Any]]:
    asked = ["experiment", "cutoff", *map(str, arguments), "--db", str(path), "--format", "json", "--quiet"]
    done = CliRunner().invoke(cli, asked, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def of(found: Sequence[dict[str, Any]], model: Path, metric: str = "bits_per_byte") -> dict[str, Any]:
    [one] = [one for one in found if one["model"] == str(model) and one["metric"] == metric]
    return one


@pytest.mark.parametrize("seed", SEEDS)
def test_the_month_up_to_which_a_model_has_read_is_named_and_none_where_it_has_read_none(
    seed: int, models: Path, tmp_path: Path
) -> None:
    path = tmp_path / "newwiki.duckdb"
    publish_months(Database(path), toys.wiki(seed))
    seen, unseen, control = models / f"seen-{seed}", models / f"unseen-{seed}", models / "control"
    found = ask(path, seen, unseen, "--control", control)
    named, none = of(found, seen), of(found, unseen)
    assert named["verdict"] == "found"
    assert named["low"][:7] <= name_of(toys.cutoff_of(seed)) <= named["high"][:7]
    assert none["verdict"] == "no change" and none["month"] is None and none["p"] > 0.05
    if seed:
        return
    assert ask(path, seen, unseen, "--control", control) == found
    with Database(path).read() as connection:
        counted = connection.execute("select count(*), count(distinct experiment_id) from cutoff_findings").fetchone()
        curve = connection.execute("select count(*), min(articles) from cutoff_months where metric = 'bits_per_byte'")
        assert counted == (len(found), 1)  # asked again it is the same answer, stored once
        assert curve.fetchone() == (3 * toys.MONTHS, toys.EACH)
