"""What a site is put together of: names of files, days, groups that were asked alike, and lines over months."""

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from flows.site.protocol_groups import groups
from flows.site.snapshot_parts import chosen_days
from flows.site.sources import kind_of
from flows.site.trend_chart import Line, Point, chart
from newwiki.errors import UsageError
from newwiki.file_names import file_name, model_file_name
from newwiki.protocol import CHAT_SETTINGS, NONE
from newwiki.site_request import SiteRequest


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "<img src=x>", "CON", "", "a" * 300, "Ünïcødé", ".", "a/b", "%2e"]
)
def test_a_name_from_elsewhere_is_a_harmless_name_of_a_file(name: str) -> None:
    for made in (file_name(name), model_file_name(name, "0" * 64)):
        assert re.fullmatch(r"[a-z0-9-]{1,80}", made)


def test_names_that_are_alike_are_told_apart() -> None:
    assert file_name("enwiki-2026-09@2026-12-01") == "enwiki-2026-09@2026-12-01"
    assert len({file_name(name) for name in ("a b", "a/b", "A-b", "a-b")}) == 4
    assert model_file_name("gpt2", "a") != model_file_name("gpt2", "b")


def test_days_leave_parts_of_like_size_and_the_models_cutoffs() -> None:
    created = [(date(2026, 9, day), 10) for day in range(1, 17)]
    days = chosen_days(created, [date(2026, 9, 5), date(2026, 9, 16), date(2025, 1, 1)])
    assert [day.day for day in days] == [2, 4, 5, 6, 8, 10, 12, 14]
    assert chosen_days([(date(2026, 9, 1), 10)], []) == []


def asked(**changes: Any) -> dict[str, Any]:
    usual = {"max_new_tokens": 512, "samples": 20, "keep": 10, "template": "{title}", "stop": [], "chat": False}
    return usual | dict.fromkeys(CHAT_SETTINGS, NONE) | changes


def test_runs_that_were_asked_otherwise_stand_in_tables_of_their_own() -> None:
    settings = {
        "a": asked(), "b": asked(), "short": asked(max_new_tokens=64), "few": asked(samples=5, keep=5),
        "greedy": asked(samples=None, keep=None), "reads": asked(samples=None, keep=None, max_new_tokens=None),
    }  # fmt: skip
    found = groups([{"run_id": name} for name in settings], settings)
    assert [[one["run_id"] for one in group.records] for group in found] == [
        ["a", "b", "greedy"], ["few", "greedy"], ["short"], ["reads"],
    ]  # fmt: skip
    assert "samples 20, keep 10" in found[0].words and "max_new_tokens 64" in found[2].words


def test_a_picture_has_round_ticks_around_all_of_its_intervals() -> None:
    points = [Point(0, 0.61, 0.58, 0.64), Point(1, 0.62, 0.6, 0.66)]
    made = chart("words", ["2026-08", "2026-09"], [Line("a", 0, points), Line("b", 3, points[:1])])
    assert made is not None
    assert [tick for _, tick in made.ticks] == ["0.58", "0.60", "0.62", "0.64", "0.66"]
    (_, top, bottom), _ = made.lines[0].intervals
    assert made.ticks[-1][0] <= top < bottom <= made.ticks[0][0]
    assert made.lines[0].marks[0][0] < made.lines[1].marks[0][0], "beside each other, not upon"
    assert chart("words", ["2026-09"], [Line("a", 0, points[:1])]) is None


def test_a_dotted_line_is_marked_only_where_no_other_is_there() -> None:
    points = [Point(0, 1.0), Point(1, 1.0)]
    lines = [Line("a", 0, points, dotted=True), Line("a", 0, points)]
    beside, alone = chart("words", ["a", "b"], lines), chart("words", ["a", "b"], lines[:1])
    assert beside is not None and alone is not None
    assert [bool(line.marks) for line in (*beside.lines, *alone.lines)] == [False, True, True]


def test_a_request_that_makes_no_sense_is_refused() -> None:
    refused: list[tuple[dict[str, Any], str]] = [
        ({"title": " "}, "--title is empty"),
        ({"checker": (Path("keys"),)}, "--key, --receipt and --checker apply to bundles"),
        ({"address": "javascript:alert(1)"}, "is not an http or https address"),
    ]
    for asked, told in refused:
        with pytest.raises(UsageError, match=told):
            SiteRequest(**asked)


def test_what_is_no_source_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no '.*nowhere\.duckdb'"):
        kind_of(str(tmp_path / "nowhere.duckdb"))
    with pytest.raises(UsageError, match=r"has no bundles \(\*\.newwiki\), and nothing has been pushed to it"):
        kind_of(str(tmp_path))
    (tmp_path / "catalogue").mkdir()
    assert [kind_of(name) for name in (str(tmp_path), "s3://bucket/results")] == ["shared", "shared"]
