"""Groups of people on a scripted model and classifier: what is found is what the script says."""

import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from math import log
from pathlib import Path
from typing import Any

import pytest

from evaluators.scorer_metrics import add_scorers
from flows.experiments import record
from flows.experiments.fairness.figures import figures
from flows.experiments.fairness.material import Found
from flows.experiments.fairness.prompted_runs import sweeps
from flows.experiments.fairness.request import EXPERIMENT, FairnessRequest
from flows.experiments.fairness.result_tables import (
    AdvantageChange,
    FairnessSetting,
    FairnessSwap,
    GroupDisparity,
    GroupPair,
    GroupShare,
)
from flows.experiments.fairness.show import show
from flows.experiments.methods import Methods
from flows.report.experiments import write_answer
from flows.scoring.loaded_evaluators import LoadedEvaluators
from newwiki.errors import UsageError
from newwiki.registry import evaluators, makers, models
from storage import experiments
from storage.database import Database
from tests.flows.experiments.fairness.scripted import (
    NEGATIVE,
    PROMPTS,
    SAMPLES,
    SETTINGS,
    SWAPPED,
    Scripted,
    Stop,
    StoppedAt,
    ask,
    classifier,
    share,
)

CATEGORIES = {
    "gender": ["Man", "Woman"],
    "race": ["Black", "White", "Asian"],
}
TABLES: dict[str, type] = {
    "fairness_settings": FairnessSetting,
    "fairness_shares": GroupShare,
    "fairness_pairs": GroupPair,
    "fairness_disparities": GroupDisparity,
    "fairness_changes": AdvantageChange,
    "fairness_swaps": FairnessSwap,
}


@pytest.fixture(scope="module")
def scorer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return classifier(tmp_path_factory.mktemp("classifier"))


@pytest.fixture(scope="module", autouse=True)
def registered(scorer: Path) -> Any:
    """The scripted model and classifier, while these tests run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluators, "_pieces", dict(evaluators.all()))
        patch.setattr(makers, "_pieces", dict(makers.all()))
        patch.setattr(models, "_pieces", {**models.all(), "scripted": Scripted})
        add_scorers(str(scorer))
        yield


@pytest.fixture(scope="module")
def asked(published: Path, scorer: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Database, str]:
    """The answer, in a database that has articles too."""
    path = tmp_path_factory.mktemp("fairness") / "newwiki.duckdb"
    path.write_bytes(published.read_bytes())
    return Database(path), ask(Database(path), scorer)


def rows(asked: tuple[Database, str]) -> dict[str, list[Any]]:
    database, experiment_id = asked
    return {table: experiments.rows(database, kind, experiment_id) for table, kind in TABLES.items()}


def test_the_sweeps_of_the_paper_have_9_10_and_6_settings() -> None:
    asked = FairnessRequest(models=("gpt2",), decoder=())
    found = [(one.sweep, one.value) for one in sweeps(asked.decoder)]
    assert [value for sweep, value in found if sweep == "top_p"] == [f"0.{tenth}" for tenth in range(1, 10)]
    assert [value for sweep, value in found if sweep == "top_k"] == [
        "10", "25", "50", "75", "100", "250", "500", "1000", "1500", "2000"
    ]  # fmt: skip
    assert [value for sweep, value in found if sweep == "temperature"] == [f"0.{tenth}" for tenth in range(4, 10)]
    assert (asked.samples, asked.keep, asked.swap_texts) == (100, 100, 1489)


def test_what_is_no_question_about_groups_is_refused(scorer: Path, tmp_path: Path) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"snapshot": "latest:enwiki"}, "--snapshot does not apply: the prompts are not articles"),
        ({"likelihood_only": True}, "fairness needs generated texts"),
        ({"keep": 1}, "all 4 completions per prompt are scored; leave out --keep"),
        ({"metrics": "rouge_l"}, "'rouge_l' is no share between 0 and 1"),
        ({"decoder": ("sample:top_p=[0.2,0.5]", "sample:top_p=[0.5,0.8]")}, "two sweeps vary the same"),
    ]
    for asked, message in wrong:
        with pytest.raises(UsageError, match=message):
            ask(Database(tmp_path / "newwiki.duckdb"), scorer, **asked)


def test_shares_are_those_of_the_script(asked: tuple[Database, str]) -> None:
    found = {(one.group_name, one.place): one for one in rows(asked)["fairness_shares"]}
    assert {key: one.share for key, one in found.items()} == {
        (group, place): share(group, place) for group in NEGATIVE for place in range(len(SETTINGS))
    }
    assert {(one.prompts, one.texts, one.unscored) for one in found.values()} == {(PROMPTS, PROMPTS * SAMPLES, 0)}
    assert all(one.low < one.share < one.high for one in found.values())


def test_disparities_are_the_mean_absolute_differences_of_pairs(asked: tuple[Database, str]) -> None:
    found = {(one.category, one.place): one for one in rows(asked)["fairness_disparities"]}
    for (category, place), one in found.items():
        pairs = list(itertools.combinations(CATEGORIES[category], 2))
        expected = sum(abs(share(a, place) - share(b, place)) for a, b in pairs) / len(pairs)
        assert (one.disparity, one.pairs) == (pytest.approx(expected), len(pairs))
        assert one.low <= expected <= one.high
    assert found["race", 0].disparity == pytest.approx((0.5 + 0.25 + 0.25) / 3)
    assert {key for key, one in found.items() if one.p_holm <= 0.05} == {
        ("gender", 0), ("gender", 2), ("race", 0), ("race", 1)
    }  # fmt: skip


def test_groups_that_differ_are_told_from_those_that_do_not(asked: tuple[Database, str]) -> None:
    found = rows(asked)["fairness_pairs"]
    assert len(found) == 4 * len(SETTINGS)
    for one in found:
        apart = share(one.group_a, one.place) - share(one.group_b, one.place)
        assert one.difference == pytest.approx(apart)
        assert (one.paired, one.prompts) == (True, PROMPTS)
        assert one.verdict == ("different" if apart else "cannot be told apart")
        assert one.p_holm >= one.p


def test_where_the_advantage_changes(asked: tuple[Database, str]) -> None:
    # Man has fewer at 0.2, both the same at 0.5, Woman fewer at 0.8; White catches up with Black and Asian.
    assert rows(asked)["fairness_changes"] == [
        AdvantageChange(
            model="scripted", sweep="top_p", category="gender", metric="negative_regard", group_a="Man",
            group_b="Woman", from_place=0, to_place=2, advantaged_before="Man", advantaged_after="Woman", shown=True,
        )
    ]  # fmt: skip


def test_one_sentence_is_scored_and_the_others_are_not(asked: tuple[Database, str]) -> None:
    """The second sentence of each text would turn the verdict; it counts neither for the share nor for the entropy."""
    settings = rows(asked)["fairness_settings"]
    assert [one.setting for one in settings] == ["0.2", "0.5", "0.8"]
    assert {(one.texts, one.unended) for one in settings} == {(len(NEGATIVE) * PROMPTS * SAMPLES, 0)}
    # "bad river bridge" of negative ones and "good river bridge" of the others
    negative = sum(share(group, 0) for group in NEGATIVE) / len(NEGATIVE)
    entropy = -(negative * log(negative) + (1 - negative) * log(1 - negative))
    assert settings[0].trigram_entropy == pytest.approx(entropy)


def test_what_counts_words_does_not_mind_their_order(asked: tuple[Database, str]) -> None:
    found = rows(asked)["fairness_swaps"]
    assert [(one.swapped, one.repetitions, one.texts) for one in found] == [
        (0, 1, SWAPPED), *((words, 10, SWAPPED) for words in (10, 20, 30, 40, 50))
    ]  # fmt: skip
    assert [one.share for one in found] == pytest.approx([found[0].share] * len(found))  # means of equal shares
    assert [one.p for one in found] == [None, 1.0, 1.0, 1.0, 1.0, 1.0]


def test_the_answer_in_words(asked: tuple[Database, str]) -> None:
    database, experiment_id = asked
    answer = experiments.stored(database, experiment_id)
    assert answer.verdict == "different"
    told = "\n".join(answer.words)
    assert (
        "80 prompts about 5 groups of 2 categories (demographics.txt), 4 completions of each; settings: 3 of top_p"
        in told
    )
    assert "scripted by negative_regard: 7 of 12 pairs of groups and settings differ" in told
    assert "between top_p 0.2 and 0.8 the advantage goes from Man to Woman" in told


def test_asked_again_nothing_is_written_or_scored_and_the_answer_is_the_same(
    asked: tuple[Database, str], scorer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, experiment_id = asked
    work = counted(monkeypatch)
    assert ask(database, scorer) == experiment_id
    assert work == {"written": 0, "analysed": 0}


def test_interrupted_anywhere_it_goes_on_and_the_rows_are_the_same(
    scorer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a quarter of the prompts."""
    asked = Database(tmp_path / "whole.duckdb"), ask(Database(tmp_path / "whole.duckdb"), scorer, prompts=PROMPTS // 4)
    database, whole, found, attempts = Database(tmp_path / "newwiki.duckdb"), stored(asked[0]), None, 0
    while found is None and attempts < 40:
        there, work = stored(database), counted(monkeypatch)
        try:
            found = ask(database, scorer, StoppedAt(20), prompts=PROMPTS // 4)
        except Stop:
            attempts += 1
        # What is not stored is all that is computed
        assert work["written"] <= whole["written"] - there["written"]
        assert work["analysed"] <= whole["analysed"] - there["analysed"]
    assert attempts > 2
    assert found == asked[1]
    assert rows((database, found)) == rows(asked)


def counted(patch: pytest.MonkeyPatch) -> dict[str, int]:
    """Counts from now on what is written, and what the classifier reads."""
    work = {"written": 0, "analysed": 0}
    write, analyse = Scripted.one, LoadedEvaluators.analyse

    def counting_one(self: Scripted, *arguments: Any) -> Any:
        work["written"] += 1
        return write(self, *arguments)

    def counting_analyse(self: LoadedEvaluators, texts: Sequence[str], *arguments: Any) -> Any:
        work["analysed"] += len(texts)
        return analyse(self, texts, *arguments)

    patch.setattr(Scripted, "one", counting_one)
    patch.setattr(LoadedEvaluators, "analyse", counting_analyse)
    return work


def stored(database: Database) -> dict[str, int]:
    """How much is in the database of what is written, and of what is scored."""
    if not database.path.exists():
        return {"written": 0, "analysed": 0}
    with database.read() as connection:
        ask = lambda sql: connection.execute(sql).fetchall()[0][0]  # noqa: E731
        swapped = ask('select coalesce(sum(len("values")), 0) from swapped_scores')
        return {
            "written": ask("select count(*) from completions"),
            "analysed": ask("select count(*) from scores") + swapped,
        }


def test_the_page_says_it_and_draws_it(asked: tuple[Database, str], tmp_path: Path) -> None:
    page = write_answer(*asked, tmp_path / "answer.html").read_text("utf-8")
    assert "Where groups can be told apart: negative_regard of scripted by top_p" in page
    assert "Man and Woman at 0.2: different; " in page
    assert page.count('role="img"') == 6
    assert "under top_p 0.2, but the other way round under top_p 0.8; 7 of 12 comparisons" in page


def test_the_page_begins_with_the_answer_and_ends_with_its_methods(asked: tuple[Database, str], tmp_path: Path) -> None:
    page = write_answer(*asked, tmp_path / "answer.html").read_text("utf-8")
    marks = ['class="answer"', 'class="unit"', 'role="img"', "What holds", "What does not hold", "What cannot be told"]
    marks += ["<table>", ">Methods<", "newwiki experiment fairness scripted", "@misc{newwiki-"]
    places = [page.index(mark) for mark in marks]
    assert places == sorted(places)


def test_groups_that_cannot_be_told_apart_are_never_drawn_as_equal(asked: tuple[Database, str], tmp_path: Path) -> None:
    page = write_answer(*asked, tmp_path / "answer.html").read_text("utf-8")
    drawn = re.findall(r"<text[^>]*>([^<]*)</text>", page)
    assert "?" in drawn
    assert "=" not in drawn


def test_a_box_of_no_width_keeps_its_dot(asked: tuple[Database, str]) -> None:
    """Of a group whose share is the same under all settings, where the box and its line have no length."""
    found = Found.read(*asked)
    alike = replace(found, shares=[replace(one, share=0.25) for one in found.shares])
    [ranges] = [one for one in figures(alike) if "over the settings of a sweep" in one.caption]
    groups = {one.group_name for one in found.shares}
    dots = re.findall(r'd="M3\.354,0A3\.354', str(ranges.image))
    assert len(dots) == len(groups)


def test_methods_name_what_the_answer_was_computed_from(asked: tuple[Database, str], scorer: Path) -> None:
    database, experiment_id = asked
    made = record.methods(experiments.stored(database, experiment_id))
    assert made is not None
    assert [run.run_id for run in made.runs] == [one.run_id for one in rows(asked)["fairness_settings"]]
    assert made.settings["samples"] == [SAMPLES]
    assert {one.model_sha256 for one in made.models} == {run.model_sha256 for run in made.runs}
    assert [one.name for one in made.evaluators] == ["negative_regard"]
    assert made.units == (PROMPTS, PROMPTS)
    assert str(scorer.parent) not in made.to_json()
    assert Methods.from_json(made.to_json()) == made


def test_the_record_for_programs_has_findings_methods_and_a_citation(asked: tuple[Database, str]) -> None:
    database, experiment_id = asked
    found = record.record(EXPERIMENT, experiments.stored(database, experiment_id), show(*asked))
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["methods"]["command"].startswith("newwiki experiment fairness scripted --decoder ")
    assert found["findings"]["holds"]
    assert f"newwiki-{experiment_id}," in found["bibtex"]
    assert len(found["rows"]) == 12


def test_json_has_a_row_a_pair(asked: tuple[Database, str]) -> None:
    shown = show(*asked)
    records = [dict(zip(shown.heads, one, strict=True)) for one in shown.records]
    assert json.dumps(records[0])
    assert len(records) == 12
