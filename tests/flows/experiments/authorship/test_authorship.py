"""Articles that editors suspect: seeded months in which they are like the others, and in which they are easier."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, mannwhitneyu

from benchmarks.cutoff_seeds import articles
from evaluators.two_groups import area, area_interval, mean_difference
from flows.api import experiment, report
from flows.experiments.authorship.articles import Article
from flows.experiments.authorship.findings import ReadRun, differences, separations
from newwiki.errors import TerminalError, UsageError
from newwiki.snapshot import Deletion, Window
from storage import editions
from storage.database import Database
from storage.snapshots import publish, resolve
from tests.flows.experiments import recomputed
from tests.flows.experiments.authorship import recomputed as again
from tests.flows.experiments.invented import WIKI, invented_page, publish_month
from tests.flows.experiments.stored import rows as stored
from tests.flows.scored import SPACY, add_run, score

EACH, TAGGED, EASIER = 80, 20, 0.4
MONTH, LIKE, EDITION = "inventedwiki-2026-09", "inventedwiki-2026-10", "inventedwiki-2026-09@2027-02-01"
LATER = datetime(2027, 2, 1, tzinfo=UTC)
G15 = "[[WP:CSD#G15|G15]]"
DELETED = {30: ("machine_generated",), 31: ("machine_generated",), 32: (), 33: None}  # by page, for what


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two months of 80 articles, the first 20 tagged. In September tagged articles have 0.4 bits a byte less, and two
    more were deleted later as machine-generated; in October they are exactly like the others."""
    database = Database(tmp_path_factory.mktemp("authors") / "newwiki.duckdb")
    random = np.random.default_rng(3)
    drawn = articles(random, 0, EACH)
    tags = dict.fromkeys(range(1, TAGGED + 1), "{{AI-generated|date=May 2026}}") | {40: "{{hoax}}", 41: "{{in use}}"}
    for month in ("2026-09", "2026-10"):
        publish_month(database, month, drawn, 1, tags)
    publish_edition(database)
    marked = np.array([page <= TAGGED or page in (30, 31) for page in range(1, EACH + 1)])
    for snapshot, easier in ((MONTH, EASIER), (LIKE, 0.0)):
        hard = 1.2 + 0.2 * random.normal(size=EACH)
        for model in ("a", "b"):
            run_id = add_run(database, f"{model}-{snapshot}", "likelihood", model=model, model_sha256=model * 64,
                             snapshot_id=snapshot, samples=0, prompts=EACH)  # fmt: skip
            bits = hard + 0.1 * random.normal(size=EACH) - easier * marked
            score(database, run_id, {"bits_per_byte": bits}, direction="lower")
        add_run(database, f"written-{snapshot}", model="a", model_sha256="a" * 64, snapshot_id=snapshot, prompts=EACH)
        for run_id in (f"written-{snapshot}", f"reference:{snapshot}"):
            score(database, run_id, {"density": random.lognormal(0, 0.4, EACH), "none": [1.0] * EACH}, SPACY)
    return database.path


def publish_edition(database: Database) -> None:
    """September as of February: four articles are gone, one of which nobody may know why."""
    first = resolve(database, MONTH)
    window = Window(first.window_start, first.window_end)
    drawn = articles(np.random.default_rng(3), 0, EACH)
    pages = [invented_page(1 + place, one, window, None) for place, one in enumerate(drawn)]
    gone = {"verdict": "missing", "first_sentence": None, "completion": None, "rev_id": None, "revised_at": None}
    pages = [replace(page, **gone) if page.page_id in DELETED else page for page in pages]  # type: ignore[arg-type]
    deletions = [
        Deletion(page_id=page, deleted_at=LATER, comment=None if kinds is None else G15, kinds=kinds,
                 status="the wiki hides the comment" if kinds is None else "ok")
        for page, kinds in DELETED.items()
    ]  # fmt: skip
    publish(database, EDITION, WIKI, window, LATER, editions.parameters_json(first), pages, deletions=deletions)


def ask(db: Path, snapshot: str, **asked: Any) -> dict[str, Any]:
    """The stored answer."""
    experiment("authorship", snapshot=snapshot, db=db, quiet=True, **asked)
    mark = asked.get("mark", "machine_generated")
    [answer] = [
        one
        for one in stored(db, "from experiments")
        if one["snapshot_id"] == snapshot and json.loads(one["request"])["mark"] == mark
    ]
    return answer


def rows(db: Path, table: str, answer: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in stored(db, f"from {table}") if one["experiment_id"] == answer["experiment_id"]]


def test_articles_that_are_easier_are_told_apart(db: Path) -> None:
    answer = ask(db, MONTH)
    assert answer["verdict"] == "likelihood: told apart; 2 of 4 means moved"
    assert answer["generalizes_over"] == "articles"
    first, *models = rows(db, "authorship_separations", answer)
    assert (first["model"], first["run_id"], [row["model"] for row in models]) == ("all models", None, ["a", "b"])
    assert {row["verdict"] for row in (first, *models)} == {"told apart"}
    # page 33 was deleted for an unknown reason and belongs to neither group
    assert (first["articles"], first["marked"]) == (EACH - 1, TAGGED + 2)
    assert first["low"] > 0.8 and first["length_low"] < 0.5 < first["length_high"]
    moved = {(row["run_id"], row["metric"]): row for row in rows(db, "authorship_differences", answer)}
    for model in ("a", "b"):
        row = moved[f"{model}-{MONTH}", "bits_per_byte"]
        assert row["verdict"] == "moved"
        assert row["difference_low"] < -EASIER < row["difference_high"]
        assert row["shift"] == pytest.approx(row["mean_with"] - row["mean_without"])
        assert row["shift"] == pytest.approx(row["difference"] * row["marked"] / row["articles"])
    assert moved[f"reference:{MONTH}", "density"]["verdict"] == "no difference shown"
    constant = moved[f"reference:{MONTH}", "none"]
    assert (constant["verdict"], constant["no_interval"], constant["shift"]) == ("no interval", "no variance", 0.0)


def test_articles_like_the_others_are_not(db: Path) -> None:
    answer = ask(db, LIKE)
    assert answer["verdict"] == "likelihood: cannot tell; 0 of 4 means moved"
    assert {row["verdict"] for row in rows(db, "authorship_separations", answer)} == {"cannot tell"}


def test_the_answer_says_what_it_is_not(db: Path) -> None:
    told = "\n".join(ask(db, MONTH)["words"])
    assert f"22 of 79 articles of {MONTH} are marked" in told
    assert f"20 by a tag at the cutoff, 2 by a later deletion ({EDITION})" in told
    assert "1 article is in neither group: tags or a deletion's reason are unknown" in told
    assert "a tag is the suspicion of an editor, not a measurement" in told
    assert "detects no machine-written text, and says nothing about the people" in told
    assert "verdicts generalize over articles" in told
    without = "\n".join(ask(db, LIKE)["words"])
    assert "nobody has looked for later deletions (`newwiki snapshots revisit`)" in without


@pytest.mark.parametrize(
    ("mark", "pages"),
    [
        ("machine_generated", {*range(1, 21), 30, 31}),
        ("tagged", {*range(1, 21), 40, 41}),
        ("deleted", {30, 31, 32, 33}),
        ("any", {*range(1, 21), 30, 31, 32, 33, 40, 41}),
    ],
)
def test_a_mark_names_its_articles(db: Path, mark: str, pages: set[int]) -> None:
    answer = ask(db, MONTH, mark=mark)
    assert {row["page_id"] for row in rows(db, "authorship_articles", answer)} == pages
    if mark == "deleted":
        assert answer["verdict"] == "likelihood: too few articles; means: too few articles"


@pytest.mark.parametrize(
    ("known", "mark", "is_marked"),
    [
        ({"tags": None}, "machine_generated", None),
        ({"tags": None}, "deleted", False),
        ({"tags": []}, "machine_generated", False),
        ({"tags": ["hoax"]}, "machine_generated", False),
        ({"tags": ["hoax"]}, "tagged", True),
        ({"tags": [], "is_lost": True}, "any", None),
        ({"tags": ["machine_generated"], "is_lost": True}, "any", True),
        ({"tags": [], "deleted_at": LATER}, "machine_generated", None),
        ({"tags": [], "deleted_at": LATER, "deletion_kinds": ["copyright"]}, "machine_generated", False),
        ({"tags": None, "deleted_at": LATER, "deletion_kinds": ["machine_generated"]}, "machine_generated", True),
    ],
)
def test_an_article_of_which_nothing_is_known_is_in_neither_group(
    known: dict[str, Any], mark: Any, is_marked: bool | None
) -> None:
    nothing: dict[str, Any] = {"deleted_at": None, "deletion_kinds": None, "is_lost": False}
    assert Article(page_id=1, words=9, **nothing | known).is_marked(mark) is is_marked


def test_what_cannot_be_asked_is_told_with_its_remedy(db: Path, tmp_path: Path) -> None:
    with pytest.raises(TerminalError, match=rf"deleted later; `newwiki snapshots revisit {LIKE}` does"):
        ask(db, LIKE, mark="deleted")
    with pytest.raises(UsageError, match="no run on this snapshot has texts scored by 'densty'"):
        ask(db, LIKE, metrics="densty")
    database = Database(tmp_path / "newwiki.duckdb")
    publish_month(database, "2026-09", articles(np.random.default_rng(3), 0, 4), 1)
    publish_month(database, "2026-10", articles(np.random.default_rng(3), 0, 4), 1, {})
    with pytest.raises(TerminalError, match=r"templates of .* are not stored here.*newwiki snapshots rebuild"):
        ask(database.path, MONTH)
    with pytest.raises(TerminalError, match=r"no article of .* is marked \(machine_generated\)"):
        ask(database.path, LIKE)


@pytest.mark.slow
def test_the_report_shows_the_answer(db: Path, tmp_path: Path) -> None:
    ask(db, MONTH)
    page = report(snapshot=MONTH, out=tmp_path / "report.html", db=db, quiet=True).read_text("utf-8")
    assert "Articles that editors suspect" in page
    assert re.search('<p class="answer">Marked articles are likelier than the others for all models', page)


@recomputed.recomputes("authorship_separations", "authorship_differences")
def test_the_numbers_are_those_of_a_recomputation_from_stored_scores(db: Path) -> None:
    """Plain Python, from the scores and the pages of the two groups alone."""
    answer = ask(db, MONTH)
    marked = {*range(1, 21), 30, 31}
    others = {*range(1, EACH + 1)} - marked - {33}
    value = {(one["run_id"], one["metric"], one["page_id"]): one["value"] for one in stored(db, "from scores")}
    words = {one["page_id"]: one["words"] for one in stored(db, f"from articles where snapshot_id = '{MONTH}'")}
    told = rows(db, "authorship_separations", answer)
    bits = {
        row["run_id"]: {page: value[row["run_id"], "bits_per_byte", page] for page in marked | others}
        for row in told
        if row["run_id"]
    }
    z = {run: {p: (b - np.mean(list(of.values()))) / np.std(list(of.values())) for p, b in of.items()}
         for run, of in bits.items()}  # fmt: skip
    bits[None] = {page: float(np.mean([of[page] for of in z.values()])) for page in marked | others}
    for row in told:
        of = bits[row["run_id"]]
        auc = again.area([-of[page] for page in marked], [-of[page] for page in others])
        assert row["auc"] == pytest.approx(auc)
        assert (row["low"], row["high"]) == pytest.approx(again.ends(auc, len(marked), len(others)), abs=2e-4)
        low, high = again.ends(auc, len(marked), len(others), 0.05 / len(told))
        assert row["verdict"] == ("cannot tell" if low <= 0.5 <= high else "told apart")
        assert row["length_auc"] == pytest.approx(again.area([words[p] for p in marked], [words[p] for p in others]))
    found = [row for row in rows(db, "authorship_differences", answer) if row["no_interval"] is None]
    assert len(found) == 4
    for row in found:
        first, second = ([value[row["run_id"], row["metric"], page] for page in group] for group in (marked, others))
        number, low, high = again.difference(first, second)
        assert (row["difference"], row["difference_low"], row["difference_high"]) == pytest.approx((number, low, high))
        assert row["mean_with"] == pytest.approx(np.mean(first + second))
        _, low, high = again.difference(first, second, 0.05 / len(found))
        assert row["verdict"] == ("no difference shown" if low <= 0 <= high else "moved")


@pytest.mark.parametrize(("m", "n"), [(13, 13), (20, 300), (40, 60)])
def test_an_interval_leaves_out_one_half_where_the_mann_whitney_test_is_significant(m: int, n: int) -> None:
    """By scipy, without its correction for continuity."""
    random = np.random.default_rng(m)
    for shift in (0.0, 0.3, 0.5, 0.7, 1.0):
        first, second = random.normal(shift, 1, m), random.normal(0, 1, n)
        test = mannwhitneyu(first, second, method="asymptotic", use_continuity=False)
        auc = area(first, second)
        assert auc == pytest.approx(test.statistic / (m * n))
        low, high = area_interval(auc, m, n)
        assert (low > 0.5 or high < 0.5) == (test.pvalue < 0.05)


def test_ties_count_half_and_a_perfect_separation_has_a_width() -> None:
    assert area(np.array([1.0, 2.0]), np.array([1.0, 2.0])) == 0.5
    assert area(np.array([2.0, 3.0]), np.array([1.0, 2.0])) == (1 + 0.5 + 1 + 1) / 4
    low, high = area_interval(1.0, 20, 20)
    assert 0.8 < low < 1.0 and high == 1.0


def test_a_difference_of_means_is_covered_as_often_as_it_should_be() -> None:
    """Skewed numbers of few marked articles and many others."""
    random, draws, missed = np.random.default_rng(5), 600, 0
    for _ in range(draws):
        *_, low, high = mean_difference(random.lognormal(0, 0.6, (20, 1)), random.lognormal(0, 0.6, (200, 1)))
        missed += not low[0] <= 0 <= high[0]
    assert missed <= binom.ppf(0.999, draws, 0.05)


def drawn(random: np.random.Generator, easier: float, models: int) -> list[Any]:
    """Separations for 25 marked of 150 articles, whose difficulty the models share."""
    marked = np.arange(150) < 25
    shared = 1.2 + 0.2 * random.normal(size=150) - easier * marked
    names = "abc"[:models]
    readings = [ReadRun(name, name, "likelihood", (shared + 0.1 * random.normal(size=150))[None]) for name in names]
    return separations(readings, "e", marked, random.lognormal(6, 0.4, 150))


@pytest.mark.parametrize("models", [1, 3])
def test_tags_at_random_are_told_apart_in_at_most_5_of_100_months(models: int) -> None:
    random, draws = np.random.default_rng(models), 400
    wrong = sum(any(row.verdict == "told apart" for row in drawn(random, 0.0, models)) for _ in range(draws))
    assert wrong <= binom.ppf(0.999, draws, 0.05)
    found = sum(drawn(random, 0.2, models)[0].verdict == "told apart" for _ in range(50))
    assert found >= 45


def test_fewer_than_13_marked_articles_are_too_few() -> None:
    marked = np.arange(60) < 12
    runs = [ReadRun("r", "a", "likelihood", np.linspace(0.5, 1.5, 60)[None])]
    [told] = separations(runs, "e", marked, np.ones(60))
    [moved] = differences(runs, {"bits_per_byte": "e"}, marked)
    assert (told.auc, told.verdict) == (1.0, "too few articles")
    assert (moved.verdict, moved.no_interval, moved.shift_low) == ("no interval", "too few articles", None)
    assert moved.shift == pytest.approx(np.mean(runs[0].values) - np.mean(runs[0].values[0, 12:]))


def test_an_article_that_a_model_has_not_read_is_left_out() -> None:
    values = np.linspace(0.5, 1.5, 60)
    values[::2] = np.nan
    other = np.linspace(0.5, 1.5, 60)
    marked = np.arange(60) % 4 < 2
    readings = [ReadRun("r", "a", "likelihood", values[None]), ReadRun("s", "b", "likelihood", other[None])]
    together, a, b = separations(readings, "e", marked, np.ones(60))
    assert (together.articles, a.articles, b.articles) == (30, 30, 60)
    assert together.auc == pytest.approx(a.auc)
