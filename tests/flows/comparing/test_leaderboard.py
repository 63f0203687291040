"""A column holds the numbers of one evaluator, and groups say what the intervals of single runs cannot."""

import csv
import itertools
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.comparing.board import board
from flows.comparing.differences import compare
from flows.comparing.notes import incomplete_texts, prompt_repeaters
from flows.comparing.ranked import letters, ranked
from newwiki.columns import PARTS
from newwiki.errors import TerminalError, UsageError
from newwiki.records import Completion, Fingerprint
from storage import runs
from storage.database import Database
from tests.flows.conftest import Run
from tests.flows.experiments import recomputed
from tests.flows.scored import RULES, SNAPSHOT, SPACY, add_run, pair, score

DENSITY = "information_density"
OTHER = Fingerprint("evaluator-2", "repetition", "2")
REFERENCE = f"reference:{SNAPSHOT}"


@pytest.fixture(scope="module")
def of_two_taggers(described: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs that two taggers have scored, the articles by both, and repetition by one for all."""
    stored = Database(shutil.copy(described, tmp_path_factory.mktemp("mixed") / "newwiki.duckdb"))
    for run_id, by, numbers in (("first", RULES, [1, 2, 3]), ("second", SPACY, [4, 5, 6])):
        score(stored, REFERENCE, {DENSITY: np.array(numbers) * 10}, by)
        score(stored, add_run(stored, run_id), {DENSITY: numbers}, by)
        score(stored, run_id, {"rep_4": [1, 1, 1]}, OTHER)
    return stored.path


@pytest.fixture
def mixed(of_two_taggers: Path, tmp_path: Path) -> Database:
    return Database(shutil.copy(of_two_taggers, tmp_path / "mixed.duckdb"))


def column(database: Database, name: str, **choices: object) -> dict[str, float | None]:
    return {record["run_id"]: record[name] for record in board(database, **choices).records}  # type: ignore[arg-type]


def test_numbers_of_two_evaluators_are_refused_in_one_column(in_process: Run, mixed: Database) -> None:
    for form in ("table", "json"):
        ended = in_process("leaderboard", "--db", mixed.path, "--format", form)
        assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == (
        "newwiki: numbers of different evaluators cannot stand in one column: information_density: "
        "spacy:en_two_cities-1.0 (evaluator evaluator-spacy) scored run second, "
        "rules-v1 (evaluator evaluator-rules) scored run first. Have all runs scored by one: "
        "`newwiki score --missing --metrics information_density --entities …`; or see a column for each: "
        "`newwiki leaderboard --by-evaluator`\n"
    )


def test_each_evaluator_gets_its_column_where_asked(in_process: Run, mixed: Database) -> None:
    ended = in_process("leaderboard", "--by-evaluator", "--db", mixed.path, "--format", "json")
    assert ended.returncode == 0, ended.stderr
    rows = {row["run_id"]: row for row in json.loads(ended.stdout)}
    columns = [f"{DENSITY} by rules-v1", f"{DENSITY} by spacy:en_two_cities-1.0", "rep_4"]
    assert {run_id: [row[name] for name in columns] for run_id, row in rows.items()} == {
        REFERENCE: [20, 50, None],
        "first": [2, None, 1],
        "second": [None, 5, 1],
    }
    assert DENSITY not in rows["first"]
    assert rows["first"][f"{columns[0]}_low"] is None
    assert rows["first"][f"{columns[0]}_no_interval"] == "too few prompts"


def test_after_an_evaluation_the_column_is_that_of_its_evaluators(mixed: Database) -> None:
    """Whichever is newer; and with none of them, as the demonstration asks, it is the newest."""
    assert column(mixed, DENSITY, prefer={"evaluator-rules"}) == {REFERENCE: 20, "first": 2, "second": None}
    assert column(mixed, DENSITY, prefer={"evaluator-spacy"}) == {REFERENCE: 50, "first": None, "second": 5}
    assert column(mixed, DENSITY, prefer=()) == {REFERENCE: 50, "first": None, "second": 5}
    (note,) = board(mixed, prefer={"evaluator-rules"}).notes
    assert "not shown" in note and "spacy:en_two_cities-1.0 (evaluator evaluator-spacy) scored run second" in note
    assert "rules-v1" not in note
    assert column(mixed, "rep_4", prefer={"evaluator-rules"}) == {REFERENCE: None, "first": 1, "second": 1}


def test_the_newest_evaluator_that_all_runs_have_is_shown(mixed: Database) -> None:
    score(mixed, "second", {DENSITY: [7, 8, 9]}, RULES)
    assert column(mixed, DENSITY) == {REFERENCE: 20, "first": 2, "second": 8}
    assert board(mixed).notes == ()
    score(mixed, "second", {DENSITY: [0, 0, 0]}, Fingerprint("third", "density", "2"))
    assert column(mixed, DENSITY) == {REFERENCE: 20, "first": 2, "second": 8}
    (note,) = board(mixed).notes
    assert "(evaluator third) scored run second" in note
    score(mixed, "first", {DENSITY: [10, 11, 12]}, SPACY)
    assert column(mixed, DENSITY) == {REFERENCE: 50, "first": 11, "second": 5}


def test_the_view_shows_what_the_command_does(mixed: Database) -> None:
    """Number by number, with who made it, on how many texts, and where another evaluator's is not shown."""
    score(mixed, "second", {"rep_4": [1, np.nan, np.nan]}, Fingerprint("newer", "repetition", "3"))
    parts = [name + part for name in (DENSITY, "rep_4") for part in PARTS]
    with mixed.read() as connection:
        names = ", ".join(["run_id", *parts])
        view = connection.execute(f"select {names} from leaderboard order by run_id").fetchall()  # noqa: S608
    records = sorted(board(mixed, prefer=()).records, key=lambda record: str(record["run_id"]))
    assert view == [tuple(record[name] for name in ("run_id", *parts)) for record in records]
    shown = {record["run_id"]: record for record in records}
    assert [shown["first"][DENSITY + part] for part in ("", "_texts", "_status", "_scored_by")] == [
        None, None, "another evaluator", "evaluator-rules"
    ]  # fmt: skip
    assert [shown["second"]["rep_4" + part] for part in ("", "_status", "_scored_by")] == [1, "ok", "evaluator-2"]


def test_versions_of_an_evaluator_are_told_apart_by_what_differs(stored: Database) -> None:
    for run_id, release in (("first", "2.5"), ("second", "2.6")):
        by = Fingerprint(f"id-{release}", "bleu", "1", dependencies={"sacrebleu": release})
        score(stored, add_run(stored, run_id), {"bleu": [1, 2]}, by)
    with pytest.raises(TerminalError, match=r'"sacrebleu": "2\.6" \(evaluator id-2\.6\) scored run second') as refusal:
        board(stored)
    assert refusal.match("`newwiki score --missing --metrics bleu`;")


def test_the_best_stands_first_with_a_letter_for_whom_it_cannot_be_told_from(in_process: Run, stored: Database) -> None:
    random = np.random.default_rng(0)
    shared = random.normal(size=40)
    score(stored, REFERENCE, {"sbert": [1.0] * 40})
    for run_id, quality in (("low", 0.2), ("best", 0.5), ("good", 0.47), ("none", None)):
        noise = random.normal(scale=0.2, size=40)
        numbers = {"sbert": shared + quality + noise} if quality is not None else {"bleu": noise}
        score(stored, add_run(stored, run_id), numbers, RULES if quality is not None else OTHER)
    ended = in_process("leaderboard", "--rank", "sbert", "--db", stored.path, "--format", "csv")
    assert ended.returncode == 0, ended.stderr
    rows = list(csv.DictReader(ended.stdout.splitlines()))
    assert [(row["run_id"], row["group"]) for row in rows] == [
        (REFERENCE, ""), ("best", "a"), ("good", "a"), ("low", "b"), ("none", "")
    ]  # fmt: skip
    assert float(rows[1]["sbert_low"]) < float(rows[3]["sbert_high"]), "the intervals alone overlap"
    assert "share a letter" in ended.stderr
    table = in_process("leaderboard", "--rank", "sbert", "--db", stored.path).stdout
    assert ["group", "a", "a", "b"] in [line.split() for line in table.splitlines()]


@recomputed.recomputes("groups")
def test_groups_are_those_of_a_recomputation_from_stored_scores(stored: Database) -> None:
    """Plain Python, from the scores of two texts of 13 prompts by five runs: a letter is a largest set of runs of which
    no two differ."""
    random = np.random.default_rng(2)
    shared = random.normal(size=(13, 1))
    for run_id, more in (("a", 0.0), ("b", 0.35), ("c", 0.6), ("d", 0.9), ("e", 3.0)):
        score(stored, add_run(stored, run_id, prompts=13), {"sbert": shared + random.normal(more, 0.5, size=(13, 2))})
    rows = ranked(stored, board(stored), "sbert").records
    with stored.read() as connection:
        sql = "select run_id, page_id, avg(value) from scores where metric = 'sbert' group by all"
        means: dict[str, dict[int, float]] = {}
        for run_id, page, value in connection.execute(sql).fetchall():
            means.setdefault(run_id, {})[page] = value
    order = sorted(means, key=lambda run_id: -sum(means[run_id].values()))
    assert [row["run_id"] for row in rows] == order
    pairs = list(itertools.combinations(order, 2))
    p = [recomputed.p_of_mean([means[one][page] - means[other][page] for page in means[one]]) for one, other in pairs]
    different = {pair for pair, one in zip(pairs, recomputed.holm(p), strict=True) if one <= recomputed.LEVEL}
    sets = [
        set(chosen)
        for size in range(1, 6)
        for chosen in itertools.combinations(order, size)
        if not different & set(itertools.combinations(chosen, 2))
    ]
    largest = sorted(
        (one for one in sets if not any(one < other for other in sets)), key=lambda one: sorted(map(order.index, one))
    )
    assert len(largest) > 2
    assert [row["group"] for row in rows] == [
        "".join(letter for letter, one in zip("abcde", largest, strict=False) if run_id in one) for run_id in order
    ]


def test_less_is_better_where_the_metric_says_so(stored: Database) -> None:
    for run_id, number in (("more", 2.0), ("less", 1.0)):
        score(stored, add_run(stored, run_id), {"rep_4": [number] * 3}, direction="lower")
    assert [record["run_id"] for record in ranked(stored, board(stored), "rep_4").records] == ["less", "more"]


def test_what_cannot_be_ranked_says_why(stored: Database) -> None:
    score(stored, add_run(stored, "first"), {"rep_4": [1, 2]})
    with pytest.raises(UsageError, match="no column 'rep_5' to rank by; did you mean 'rep_4'"):
        ranked(stored, board(stored), "rep_5")
    score(stored, add_run(stored, "second", snapshot_id="another"), {"rep_4": [1, 2]})
    with pytest.raises(TerminalError, match=f"name one snapshot with --snapshot: another, {SNAPSHOT}"):
        ranked(stored, board(stored), "rep_4")
    assert ranked(stored, board(stored, SNAPSHOT), "rep_4").records[0]["group"] == "a"


@given(st.integers(1, 7), st.data())
def test_two_share_a_letter_just_where_they_do_not_differ(count: int, data: st.DataObject) -> None:
    pairs = list(itertools.combinations(range(count), 2))
    different = set(data.draw(st.lists(st.sampled_from(pairs)))) if pairs else set()
    found = letters(count, different)
    assert all(found)
    for one, other in pairs:
        assert bool(set(found[one]) & set(found[other])) == ((one, other) not in different)


def test_letters_by_hand() -> None:
    """Of four in a row only neighbours cannot be told apart; of thirty that all differ each has a letter of its own."""
    assert letters(4, [(0, 2), (0, 3), (1, 3)]) == ["a", "ab", "bc", "c"]
    assert letters(2, []) == ["a", "a"]
    assert letters(30, itertools.combinations(range(30), 2))[25:28] == ["z", "a1", "b1"]


def test_missing_and_truncated_answers_are_noted_next_to_the_means(stored: Database) -> None:
    """Run `thinks` has four answers, which ended by themselves, of seven completions. One of three texts of `cut` hit
    the limit, and all three of `whole`. Runs of the same name are told apart by their ids."""
    faults = [(7, 0, "thinking was not closed"), (7, 1, "refused: I cannot say"), (8, 0, "refused: no")]
    unanswered = [Completion(page, n, "", 0, 0, "stop", False, thinking="", no_answer=why) for page, n, why in faults]
    finished, cut = (
        [Completion(page, 0, "A town.", 3, 2, reason, reason == "length") for page in range(1, 5)]
        for reason in ("stop", "length")
    )
    for run_id, model, completions in (
        ("thinks", "toy", [*unanswered, *finished]),
        ("cut", "toy", [*finished[:2], *cut[2:3]]),
        ("whole", "other", cut[:3]),
    ):
        add_run(stored, run_id, model=model, samples=2, keep=1)
        runs.add_completions(stored, run_id, completions)
        runs.complete(stored, run_id, 1)
        score(stored, run_id, {"bleu": [1, 2, 3]})
    notes = [
        f"toy/greedy on {SNAPSHOT} (run thinks): 3 of 7 completions have no answer "
        "(refused 2, thinking was not closed 1), and are not scored",
        f"all scored texts hit the token limit: other/greedy on {SNAPSHOT}",
        f"33 % of the scored texts of toy/greedy on {SNAPSHOT} (run cut) hit the token limit",
    ]
    assert [note for note in board(stored).notes if "token limit" in note or "no answer" in note] == notes
    assert notes[0].replace(" (run thinks)", "") in compare(stored, *pair(stored, "thinks", "whole"))[1]


def test_many_runs_with_truncated_answers_share_a_note(stored: Database) -> None:
    texts = [Completion(page, 0, "A town.", 3, 2, "length", True) for page in (1, 2)]
    for number in range(8):
        run_id = add_run(stored, f"run-{number}", model=f"toy-{number}")
        runs.add_completions(stored, run_id, [*texts, Completion(3, 0, "A.", 2, 1, "stop", False)])
        runs.complete(stored, run_id, 1)
    *single, last = incomplete_texts(stored, [f"run-{number}" for number in range(8)])
    assert len(single) == 6 and last == "more than 5 % of the scored texts of 2 more runs hit the token limit"


def test_runs_that_only_repeat_the_prompt_are_noted(stored: Database) -> None:
    """More than a fifth of the texts, each with four words of five copied: two of nine are, one of nine is not."""
    by = Fingerprint("evaluator-copied-spans", "prompt_copied", "1")
    scores = {"parrot": [0.8, 1.0, *[0.0] * 7], "once": [1.0, *[0.79] * 8], "fresh": [0.0] * 9}
    for run_id, values in scores.items():
        add_run(stored, run_id, model=run_id)
        score(stored, run_id, {"prompt_copied": values}, by)
    [note] = [note for note in board(stored).notes if "only repeats" in note]
    assert note.startswith(f"run parrot of parrot on {SNAPSHOT} only repeats its prompt or itself in 22 % of its texts")
    assert "sbert_new" in note
    assert note in compare(stored, *pair(stored, "fresh", "parrot"))[1]
    assert not [note for note in compare(stored, *pair(stored, "fresh", "once"))[1] if "repeat" in note]


def test_many_runs_that_only_repeat_the_prompt_share_a_note(stored: Database) -> None:
    by = Fingerprint("evaluator-copied-spans", "prompt_copied", "1")
    for number in range(8):
        score(stored, add_run(stored, f"run-{number}"), {"prompt_copied": [1.0] * 3}, by)
    rows = [{"run_id": f"run-{number}", "model": "toy", "snapshot_id": SNAPSHOT} for number in range(8)]
    *single, last = prompt_repeaters(stored, rows)
    assert len(single) == 6 and last == "2 more runs only repeat their prompt or themselves in many texts"
