"""What people say of pairs, from the stored answers to the tables; numbers are recomputed beside."""

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from scipy.stats import binomtest

import newwiki
from flows.judging.findings import find
from flows.judging.pairing import Pairing, pair_up
from flows.judging.show import tables
from newwiki.errors import TerminalError, UsageError
from newwiki.judge_request import JudgeRequest, PairsRequest
from newwiki.judging.judgement import judge_name
from newwiki.records import Completion
from storage import judgements, runs, snapshots
from storage.database import Database
from storage.keys import repeated
from tests.flows.conftest import Run
from tests.flows.experiments.recomputed import holm, recomputes
from tests.flows.judging.conftest import GREEDY, MODEL, NUCLEUS, PAGES, SNAPSHOT, AddAnswers, better
from tests.flows.scored import RULES, add_run, score


def test_a_prompt_gives_one_pair_and_the_first_so_many_are_drawn(database: Database, pairing: Pairing) -> None:
    assert sorted(pair.page_id for pair in pairing.pairs) == [*range(1, PAGES + 1)]
    assert [pair.page_id for pair in pairing.pairs] != [*range(1, PAGES + 1)]
    some = pair_up(database, PairsRequest(run_a=NUCLEUS, run_b=GREEDY, pairs=10))
    assert some.pairs == pairing.pairs[:10]


def test_one_of_a_prompts_kept_texts_is_drawn(database: Database) -> None:
    """A third run has kept two texts of three."""
    add_run(database, "dddd", "sample:top_p=0.5", snapshot_id=SNAPSHOT, prompts=PAGES, samples=3, keep=2)
    lengths = {0: 3, 1: 1, 2: 2}
    written = [
        Completion(page, sample, f"{page} {sample}", 9, words, "stop", False)
        for page in range(1, PAGES + 1)
        for sample, words in lengths.items()
    ]
    runs.add_completions(database, "dddd", written)
    runs.complete(database, "dddd", 2)
    drawn = pair_up(database, PairsRequest(run_a=GREEDY, run_b="dddd", across=("samples", "keep"))).pairs
    assert all(pair.text_b == f"{pair.page_id} {pair.sample_b}" for pair in drawn)
    of_each = Counter(pair.sample_b for pair in drawn)
    assert set(of_each) == {0, 2} and min(of_each.values()) > PAGES // 3


def test_the_articles_themselves_are_judged_as_a_run_is(database: Database) -> None:
    score(database, f"reference:{SNAPSHOT}", {"rep_4": [0.1] * PAGES}, RULES)
    pairs = pair_up(database, PairsRequest(run_a=f"reference:{SNAPSHOT}", run_b=GREEDY)).pairs
    texts = {article.page_id: article.completion for article in snapshots.articles(database, SNAPSHOT)}
    assert {pair.page_id: pair.text_b for pair in pairs} == texts
    assert {pair.run_b for pair in pairs} == {f"reference:{SNAPSHOT}"}


def test_p_of_stored_answers_is_scipys_and_shares_are_the_papers(
    database: Database, pairing: Pairing, add_answers: AddAnswers
) -> None:
    """Ada sees what is better, and calls every tenth pair the same."""
    add_answers("Ada", lambda page, criterion: "tie" if page % 10 == 0 else better(page))
    wins = sum(better(page) == "a" and page % 10 > 0 for page in range(1, PAGES + 1))
    ties = PAGES // 10
    row = find(database, pairing).preferences[0]
    assert (row.criterion, row.judge, row.kind, row.pairs) == ("coherence", "people", "people", PAGES)
    assert (row.a_better, row.same, row.b_better) == (wins, ties, PAGES - wins - ties)
    assert row.p == binomtest(wins, PAGES - ties).pvalue
    assert row.win_rate == pytest.approx((wins + ties / 2) / PAGES)
    assert row.low < row.win_rate < row.high


def test_the_run_that_is_named_first_is_a(database: Database, add_answers: AddAnswers) -> None:
    add_answers("Ada", lambda page, criterion: better(page))
    [one, other] = [
        find(database, pair_up(database, PairsRequest(run_a=a, run_b=b))).preferences[0]
        for a, b in ((GREEDY, NUCLEUS), (NUCLEUS, GREEDY))
    ]
    assert (one.a_better, one.b_better) == (other.b_better, other.a_better) == (PAGES * 3 // 4, PAGES // 4)
    assert one.win_rate == pytest.approx(1 - other.win_rate)
    assert one.p == other.p


@recomputes("preferences")
def test_p_is_corrected_for_the_criteria_of_a_judge_and_not_for_other_judges(
    database: Database, pairing: Pairing, add_answers: AddAnswers
) -> None:
    """From the stored answers alone."""
    add_answers("Ada", lambda page, criterion: better(page) if criterion == "fluency" or page % 3 else "tie")
    add_answers("Bob", lambda page, criterion: "a" if page % 2 else "b")
    rows = find(database, pairing).preferences
    with database.read() as connection:
        answers = connection.execute("select judge, criterion, page_id, preferred from preferences").fetchall()
    value_of = {pairing.contender.run_id: 1.0, pairing.other.run_id: 0.0}
    for judge in ("people", "Ada", "Bob"):
        of_judge = [row for row in rows if row.judge == judge]
        assert len(of_judge) == len(pairing.rubric.names) > 1
        p_values = []
        for row in of_judge:
            values: dict[int, list[float]] = {}
            for name, criterion, page, preferred in answers:
                if criterion == row.criterion and judge in (name, "people"):
                    values.setdefault(page, []).append(value_of.get(preferred, 0.5))
            means = [sum(one) / len(one) for one in values.values()]
            decided = [mean for mean in means if mean != 0.5]
            p_values.append(binomtest(sum(mean > 0.5 for mean in decided), len(decided)).pvalue)
            assert row.p == pytest.approx(p_values[-1])
        assert [row.p_holm for row in of_judge] == pytest.approx(holm(p_values))


def test_several_people_are_one_answer_a_pair_and_their_agreement_stands_beside_it(
    database: Database, pairing: Pairing, add_answers: AddAnswers
) -> None:
    """Ada and Bob say the same but of pages that 8 divides, where Bob calls them the same; Chi has judged a few."""
    add_answers("Ada", lambda page, criterion: better(page))
    add_answers("Bob", lambda page, criterion: "tie" if page % 8 == 0 else better(page))
    add_answers("Chi", lambda page, criterion: "a" if page <= 20 else "unreadable")
    found = find(database, pairing)
    people, *persons = [row for row in found.preferences if row.criterion == "fluency"]
    assert (people.judges, people.pairs) == (3, PAGES)
    assert [(row.judge, row.pairs) for row in persons] == [("Ada", PAGES), ("Bob", PAGES), ("Chi", 20)]
    # Where Ada and Bob say b and Chi a, they still have it; where Bob says the same, Ada decides, or Chi undoes it.
    undone = sum(page % 8 == 0 for page in range(1, 21))
    assert (people.a_better, people.same, people.b_better) == (96, undone, 32 - undone)
    [agreement] = [row for row in found.agreements if row.criterion == "fluency"]
    assert (agreement.judges, agreement.pairs) == (3, PAGES)
    assert agreement.alpha == pytest.approx(_alpha_by_pairs(), abs=1e-9)


def _alpha_by_pairs() -> float:
    """1 less observed over expected disagreement, both counted out over pairs of judgements (Krippendorff 2011)."""
    units = []
    for page in range(1, PAGES + 1):
        unit = [better(page), "tie" if page % 8 == 0 else better(page)]
        units.append([*unit, "a"] if page <= 20 else unit)
    everything = [one for unit in units for one in unit]
    observed = sum(
        sum(one != other for i, one in enumerate(unit) for j, other in enumerate(unit) if i != j) / (len(unit) - 1)
        for unit in units
    ) / len(everything)
    pairs = [one != other for i, one in enumerate(everything) for j, other in enumerate(everything) if i != j]
    return 1 - observed / (sum(pairs) / len(pairs))


def test_who_answers_again_has_changed_their_mind(
    database: Database, pairing: Pairing, add_answers: AddAnswers
) -> None:
    add_answers("Ada", lambda page, criterion: better(page))
    add_answers("Ada", lambda page, criterion: "tie")
    assert {one.answer for one in judgements.every(database, *pairing.ids)} == {"tie"}
    with database.read() as connection:
        assert repeated(connection) == []
        assert [problem for problem, count in database.rows("integrity") if count] == []


def test_the_view_says_which_run_was_preferred(database: Database, add_answers: AddAnswers) -> None:
    add_answers("Ada", lambda page, criterion: better(page))
    counted = newwiki.query(
        "select preferred, count(*) as pairs from preferences group by 1 order by 1", db=database.path
    )
    assert counted.to_pylist() == [{"preferred": GREEDY, "pairs": 384}, {"preferred": NUCLEUS, "pairs": 128}]


def test_the_command_prints_what_the_api_answers_and_writes_the_page(
    newwiki: Run, database: Database, add_answers: AddAnswers, tmp_path: Path
) -> None:
    from flows import api

    add_answers("Ada", lambda page, criterion: better(page))
    add_answers("Bob", lambda page, criterion: "first")
    ended = newwiki(
        "judge", GREEDY, NUCLEUS, "--db", database.path, "--format", "json", "--out", tmp_path / "answer.html"
    )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == api.judge(GREEDY, NUCLEUS, db=database.path).to_pylist()
    page = (tmp_path / "answer.html").read_text("utf-8")
    for said in ("Agreement of people", "Which text is more coherent?", f"A: {MODEL}/greedy ({GREEDY})", "75.0%"):
        assert said in page


def test_an_answer_that_nobody_gave_is_no_table(database: Database, pairing: Pairing) -> None:
    assert tables(find(database, pairing), pairing) == {}


def test_one_name_from_two_databases_is_two_judges(
    database: Database, pairing: Pairing, add_answers: AddAnswers
) -> None:
    """Ada here prefers the better text, and another Ada always the other one."""
    add_answers("Ada", lambda page, criterion: better(page))
    with database.write() as connection:
        connection.execute(
            "insert into judgements by name select * replace ('0123456789ab' as origin, if(answer = 'first', 'second', "
            "'first') as answer) from judgements"
        )
        assert repeated(connection) == []
    found = find(database, pairing)
    people, *persons = [row for row in found.preferences if row.criterion == "fluency"]
    assert (people.judges, people.same) == (2, PAGES)
    assert [(row.judge, row.a_better) for row in persons] == [("Ada", 96), ("Ada (from 01234567)", 32)]
    [agreement] = [row for row in found.agreements if row.criterion == "fluency"]
    assert agreement.judges == 2 and agreement.alpha is not None and agreement.alpha < 0
    assert found.notes == [
        "answers of judges from other databases, counted as judges of their own: Ada (from 01234567)"
    ]
    with database.read() as connection:
        names = connection.execute("select distinct judge_name from preferences order by all").fetchall()
    assert names == [("Ada",), ("Ada (from 01234567)",)]


def test_only_so_many_pairs_is_of_the_answer_too(database: Database, add_answers: AddAnswers) -> None:
    add_answers("Ada", lambda page, criterion: better(page))
    ten = pair_up(database, PairsRequest(run_a=GREEDY, run_b=NUCLEUS, pairs=10))
    assert {row.pairs for row in find(database, ten).preferences} == {10}


def test_two_names_of_one_run_are_no_pair(database: Database) -> None:
    with pytest.raises(UsageError, match="are one run"):
        pair_up(database, PairsRequest(run_a=GREEDY, run_b="secret-model/greedy"))


def test_runs_that_were_asked_otherwise_are_judged_only_by_name(database: Database) -> None:
    protocol = json.dumps({"max_new_tokens": 7})
    with database.write() as connection:
        connection.execute("update runs set max_new_tokens = 7, protocol = json_merge_patch(protocol, ?)", [protocol])
        connection.execute("update runs set max_new_tokens = 9 where run_id = ?", [GREEDY])
        connection.execute(
            "update runs set protocol = json_merge_patch(protocol, '{\"max_new_tokens\": 9}') where run_id = ?",
            [GREEDY],
        )
    with pytest.raises(TerminalError, match="--across max_new_tokens"):
        pair_up(database, PairsRequest(run_a=GREEDY, run_b=NUCLEUS))
    assert pair_up(database, PairsRequest(run_a=GREEDY, run_b=NUCLEUS, across=("max_new_tokens",))).pairs


def test_a_run_that_is_not_complete_has_no_pairs(two_runs: Path, tmp_path: Path) -> None:
    database = Database(shutil.copy(two_runs, tmp_path / "newwiki.duckdb"))
    add_run(database, "cccc", "greedy", snapshot_id=SNAPSHOT)
    with pytest.raises(TerminalError, match="no article of a snapshot that both are complete on"):
        pair_up(database, PairsRequest(run_a=GREEDY, run_b="cccc"))


@pytest.mark.parametrize("name", ["", "  ", "x" * 81, "a\x1b[2J", "batch/ann"])
def test_a_judge_has_a_name(name: str) -> None:
    with pytest.raises(UsageError, match="not a valid judge name"):
        judge_name(name)


def test_a_bridge_is_for_a_model() -> None:
    with pytest.raises(UsageError, match="--bridge needs the new model to link"):
        JudgeRequest(run_a="a", run_b="b", bridge="Ada")
