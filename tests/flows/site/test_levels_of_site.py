"""A site shows every claimed number as claimed, in each table, file and page, and never as the best."""

import csv
import json
import re
import shutil
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import newwiki
from flows.comparing.board import board
from newwiki.levels import CLAIMED, HERE, RECOMPUTED, VERIFIED
from storage import verifications
from storage.database import Database
from storage.verifications import Verification
from tests.flows.site.made_up import BY

pytestmark = pytest.mark.slow
NOW = datetime(2026, 11, 1, tzinfo=UTC)
SEPTEMBER = "enwiki-2026-09"


@pytest.fixture(scope="module")
def mixed(two_months: Path, tmp_path_factory: pytest.TempPathFactory) -> Database:
    """September alone. Of its runs a third came signed, a third unsigned, and of these about half were scored again
    here; two have another seed."""
    database = Database(Path(shutil.copy(two_months, tmp_path_factory.mktemp("levels") / "newwiki.duckdb")))
    _keep_september(database)
    draw, checks = np.random.default_rng(40), []
    with database.write() as connection:
        run_ids = [name for (name,) in connection.execute("select run_id from scorings order by 1").fetchall()]
        for run_id in run_ids:
            source = draw.choice(["", "bundle", "pull"])
            for evaluator_id in ("", BY.evaluator_id) if source else ():
                signer = "SHA256:somebody" if source == "bundle" else ""
                connection.execute(
                    "insert into origins values (?, ?, ?, ?, ?)", [run_id, evaluator_id, source, signer, NOW]
                )
            if draw.random() < 0.5:
                checks.append(
                    Verification(
                        run_id=run_id,
                        evaluator_id=BY.evaluator_id,
                        level=RECOMPUTED,
                        checker=HERE,
                        checked_at=NOW,
                        confirmed=320,
                        checked=320,
                        total=320,
                        draw=None,
                        receipt_sha256="",
                    )
                )
        connection.execute("update runs set seed = 7 where snapshot_id = ? and decoder = 'greedy'", [SEPTEMBER])
    verifications.add(database, checks)
    return database


def _keep_september(database: Database) -> None:
    with database.write() as connection:
        for table in ("runs", "snapshots"):
            connection.execute(f"delete from {table} where snapshot_id <> ?", [SEPTEMBER])  # noqa: S608 (our own names)
        kept = "run_id not in (select run_id from runs union all select 'reference:' || snapshot_id from snapshots)"
        for table in ("scores", "scorings", "stored_summaries", "page_means", "page_gaps"):
            connection.execute(f"delete from {table} where {kept}")  # noqa: S608 (our own names)


@pytest.fixture(scope="module")
def pages(mixed: Database, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return newwiki.site(out=tmp_path_factory.mktemp("site") / "board", db=mixed.path, quiet=True).parent


@pytest.fixture(scope="module")
def levels(mixed: Database) -> dict[str, str]:
    """By run, said anew of the two tables."""
    with mixed.read() as connection:
        came = {name for (name,) in connection.execute("select run_id from origins").fetchall()}
        checked = {name for (name,) in connection.execute("select run_id from verifications").fetchall()}
        run_ids = [name for (name,) in connection.execute("select run_id from scorings").fetchall()]
    return {name: VERIFIED if name not in came else RECOMPUTED if name in checked else CLAIMED for name in run_ids}


def test_every_file_of_a_site_has_the_level_of_each_number(pages: Path, levels: dict[str, str]) -> None:
    assert {*levels.values()} == {CLAIMED, RECOMPUTED, VERIFIED}
    files = [file for file in (pages / "data").rglob("*.csv") if "mean" in file.read_text("utf-8").split("\n")[0]]
    assert len(files) > 5
    for file in files:
        with file.open(newline="") as stream:
            rows = [one for one in csv.DictReader(stream) if one["mean"]]
        assert {(one["run_id"], one["level"]) for one in rows} <= {*levels.items()}, file


def test_every_cell_of_a_leaderboard_says_its_level_and_no_claim_is_the_best(
    pages: Path, mixed: Database, levels: dict[str, str]
) -> None:
    """Rows are known by their numbers, which are all different."""
    shown = board(mixed, SEPTEMBER)
    by_mean = {
        f"{record[column.name]:.6g}": levels[record["run_id"]]
        for record in shown.records
        for column in shown.columns
        if record[column.name] is not None
    }
    cells = re.findall(r'<td class="number" data-value="([^"]+)">(<span class="mean.*?)</td>', _page(pages), re.DOTALL)
    assert len(cells) >= 8 * 10
    for value, cell in cells:
        words = set(re.findall(r"claimed|recomputed scores", re.sub(r"<[^>]+>", " ", cell)))
        assert words == {by_mean[value]} - {VERIFIED}
        assert by_mean[value] != CLAIMED or 'class="mean best"' not in cell
    assert 'title="claimed: another person states it' in _page(pages)


def test_the_slider_of_a_leaderboard_keeps_the_levels(pages: Path, levels: dict[str, str]) -> None:
    [found] = re.findall(r'class="after-numbers">(.*?)</script>', _page(pages), re.DOTALL)[:1]
    told = [cell[6] for day in json.loads(found).values() for row in day["rows"] if row for cell in row[2] if cell]
    assert any(CLAIMED in one for one in told)
    assert any(RECOMPUTED in one for one in told)


def test_pages_say_whose_claims_they_are_and_what_a_level_means(pages: Path) -> None:
    page = _page(pages)
    assert "Verification of the numbers" in page
    assert "another person states it, and nobody here has checked it" in page
    assert "SHA256:somebody" in page
    models = "".join(file.read_text("utf-8") for file in sorted((pages / "models").glob("*.html")))
    assert "are claims of" in models
    assert "SHA256:somebody" in models


def test_a_seed_other_than_the_default_is_part_of_the_runs_name(pages: Path) -> None:
    assert "greedy, seed 7" in _page(pages)
    assert "not under the default seed 0" in _page(pages)


def _page(pages: Path) -> str:
    return unescape((pages / "snapshots" / f"{SEPTEMBER}.html").read_text("utf-8"))
