"""fact_recall from the published infoboxes to the scores, with the articles' own row."""

import json
from pathlib import Path

import pytest

import flows.api
from storage.database import Database
from tests.flows.scored import SNAPSHOT

# Counted by eye on the pages of the sample wiki: the facts that title and first sentence leave, and those of them that
# the article's prose states (marked with +).
BY_HAND = {
    # +640, 1741, 2021, 6870, +Ruth Ellender
    "Grauven": 2 / 5,
    # +1958, +Lumen Prize, Vareska, 388, Winter Tolls, +Holm & Aster, +1963, +Margaret Penhollow
    "The Salt Ledger": 5 / 8,
    # +1987, 15, Granite, 38, First-order dioptric, +White, 21, Tapering cylinder, +1859, +1864
    "Pell Skerry Lighthouse": 4 / 10,
}


def scores(database: Path, run: str) -> dict[str, tuple[float | None, str]]:
    asked = "select title, value, status from scores join stored_articles using (page_id) where metric = 'fact_recall' "
    asked += f"and run_id = '{run}' and snapshot_id = '{SNAPSHOT}'"
    with Database(database).read() as connection:
        return {title: (value, status) for title, value, status in connection.execute(asked).fetchall()}


def texts(path: Path, **of_titles: str) -> Path:
    path.write_text("\n".join(json.dumps({"title": title, "text": text}) for title, text in of_titles.items()))
    return path


def test_three_sample_articles_by_hand(database: Path, tmp_path: Path) -> None:
    told = "Its mayor is Ruth Ellender; 6,870 people lived there in 2021."
    file = texts(tmp_path / "written.jsonl", **dict.fromkeys(BY_HAND, told))
    board = flows.api.score(file, snapshot=SNAPSHOT, metrics="fact_recall", db=database, quiet=True)
    articles = scores(database, f"reference:{SNAPSHOT}")
    assert {title: articles[title] for title in BY_HAND} == {
        title: (pytest.approx(value), "ok") for title, value in BY_HAND.items()
    }
    [run_id] = [row["run_id"] for row in board.to_pylist() if not row["run_id"].startswith("reference:")]
    assert scores(database, run_id) == {
        "Grauven": (pytest.approx(3 / 5), "ok"),
        "The Salt Ledger": (0, "ok"),
        "Pell Skerry Lighthouse": (0, "ok"),
    }


def test_a_snapshot_from_before_has_no_number_and_says_why(database: Path, tmp_path: Path) -> None:
    with Database(database).write() as connection:
        connection.execute("delete from article_structure")
    file = texts(tmp_path / "written.jsonl", Grauven="Ruth Ellender")
    flows.api.score(file, snapshot=SNAPSHOT, metrics="fact_recall", db=database, quiet=True)
    assert scores(database, f"reference:{SNAPSHOT}")["Grauven"] == (None, "no structure")


def test_references_of_a_file_have_no_infobox_to_know_of(database: Path, tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text(json.dumps({"prompt": "A", "text": "Ruth Ellender", "reference": "Ruth Ellender"}))
    board = flows.api.score(file, metrics="fact_recall", db=database, quiet=True)
    assert {row["fact_recall_status"] for row in board.to_pylist()} == {"0 of 1: no structure 1"}
