"""A model as judge: on a loopback server that speaks OpenAI's API, and a checkpoint on this machine."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from flows.judging.ask_model import BRIDGE, ask_model
from flows.judging.findings import Findings, find
from flows.judging.pairing import Pairing, pair_up
from flows.progress import Silent
from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError, UsageError
from newwiki.judge_request import JudgeRequest
from newwiki.judging.judgement import Judgement, Run
from newwiki.models.backend import Writing
from newwiki.records import Prompt
from storage import judgements
from storage.database import Database
from storage.keys import repeated
from tests.endpoint import Endpoint, Said, completion, endpoint
from tests.flows.judging.conftest import BETTER, GREEDY, NUCLEUS, PAGES, AddAnswers, answers_by, better

FLUENCY = '[[criterion]]\nname = "fluency"\nquestion = "Which text is more fluent?"\nmeaning = ""\n'

Says = Callable[[str], str]


def share(prompt: str, salt: str = "") -> float:
    """A number from 0 to 1 that belongs to the question."""
    return int(hashlib.sha256(f"{salt}{prompt}".encode()).hexdigest()[:8], 16) / 2**32


def sees(prompt: str) -> str:
    """The better text, wherever it stands."""
    return "A" if prompt.index(BETTER) < prompt.index("Text B:") else "B"


def leans(bias: float, salt: str = "") -> Says:
    """The first text on this share of the questions whatever they are, else the better one: the share of answers that
    name the first place is so 0.5 + bias / 2."""
    return lambda prompt: "A" if share(prompt, salt) < bias else sees(prompt)


@contextmanager
def served(
    says: Says, refused: Callable[[int], bool] = lambda number: False
) -> Iterator[tuple[Endpoint, dict[str, Any]]]:
    """A server that answers so, and refuses those questions, by their number in the order in which they come."""

    def answer(path: str, body: dict[str, Any]) -> Said:
        if path == "/models":
            return 200, {"data": [{"id": "judge-1", "owned_by": "us"}]}
        if refused(len(server.completions)):
            return 400, {"error": {"message": "no more"}}
        return 200, completion(f" {says(body['prompt'])}")

    with endpoint(answer) as server:
        arguments = {"base_url": server.url, "key_env": "NO_KEY"}
        yield server, {"model": "judge-1", "backend": "openai", "model_args": arguments}


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_KEY", "none")


@pytest.fixture
def rubric(tmp_path: Path) -> Path:
    """One question is enough."""
    (tmp_path / "rubric.toml").write_text(FLUENCY)
    return tmp_path / "rubric.toml"


def judged(database: Database, rubric: Path, model: dict[str, Any], **asked: Any) -> tuple[str, Pairing, Findings]:
    request = JudgeRequest(run_a=GREEDY, run_b=NUCLEUS, rubric=rubric, **model, **asked)
    pairing = pair_up(database, request)
    judge = ask_model(database, pairing, request, Silent())
    return judge, pairing, find(database, pairing)


def test_a_known_bias_towards_the_first_place_is_measured_within_its_interval(database: Database, rubric: Path) -> None:
    bias = 0.3
    with served(leans(bias)) as (server, model):
        _, pairing, found = judged(database, rubric, model)
    assert len(server.completions) == 2 * PAGES
    [row] = found.biases
    assert row.pairs == PAGES
    assert row.low <= bias / 2 <= row.high
    assert row.low > 0
    stored = judgements.every(database, *pairing.ids)
    first = sum(one.answer == "first" for one in stored) / len(stored)
    assert row.bias == pytest.approx(first - 0.5)
    assert 1 - row.consistent == pytest.approx(2 * row.bias)


def test_both_orders_are_asked_so_the_bias_makes_ties_and_no_winner(database: Database, rubric: Path) -> None:
    with served(lambda prompt: "A") as (_, model):
        *_, found = judged(database, rubric, model, pairs=20)
    [row] = found.preferences
    assert (row.a_better, row.same, row.b_better, row.win_rate) == (0, 20, 0, 0.5)
    assert found.biases[0].bias == 0.5


def test_a_judge_without_bias_finds_who_is_better(database: Database, rubric: Path) -> None:
    with served(sees) as (_, model):
        _, pairing, found = judged(database, rubric, model, pairs=20)
    [row] = found.preferences
    wins = sum(better(pair.page_id) == "a" for pair in pairing.pairs)
    assert (row.a_better, row.same, row.b_better) == (wins, 0, 20 - wins)
    assert found.biases[0].bias == 0


def test_answers_that_cannot_be_read_are_counted_kept_and_left_out(database: Database, rubric: Path) -> None:
    def says(prompt: str) -> str:
        return "Text A is better than B" if share(prompt) < 0.1 else sees(prompt)

    with served(says) as (_, model):
        _, pairing, found = judged(database, rubric, model, pairs=60)
    stored = judgements.every(database, *pairing.ids)
    unread = [one for one in stored if one.answer == "unreadable"]
    assert 5 < len(unread) < 30
    assert {one.said for one in unread} == {" Text A is better than B"}
    [row] = found.preferences
    assert row.unreadable == len(unread)
    assert row.pairs == 60 - len({one.page_id for one in unread})
    assert found.notes == [
        f"answers of {row.judge} that cannot be read, whose pairs are left out: fluency {len(unread)}"
    ]


def test_an_interrupted_judge_goes_on_and_asks_nothing_twice(database: Database, rubric: Path) -> None:
    """The server refuses everything from the 25th question on, and then no more."""
    is_broken = True
    with served(sees, lambda number: is_broken and number > 24) as (server, model):
        model["model_args"]["concurrency"] = "1"  # or questions under way are lost with the one that is refused
        with pytest.raises(TerminalError, match="no more"):
            judged(database, rubric, model, pairs=30)
        assert len(_stored(database)) == 24
        is_broken = False
        server.asked.clear()
        judge, _, found = judged(database, rubric, model, pairs=30)
        assert len(server.completions) == 60 - 24
        assert judged(database, rubric, model, pairs=30)[0] == judge
        assert len(server.completions) == 60 - 24
    assert found.preferences[0].pairs == 30
    assert {one.judge for one in _stored(database)} == {judge}
    with database.read() as connection:
        assert repeated(connection) == []
        assert [problem for problem, count in database.rows("integrity") if count] == []


def _stored(database: Database) -> list[Judgement]:
    return judgements.every(database, GREEDY, NUCLEUS)


@pytest.mark.parametrize(
    ("rubric_text", "asked"),
    [
        ('template = "{prompt} Text A: {first} Text B: {second} {question} {meaning} Which?"\n' + FLUENCY, {}),
        (FLUENCY.replace("more fluent", "of better style"), {}),
        (FLUENCY, {"max_new_tokens": 3}),
    ],
)
def test_a_judge_of_whom_anything_changes_is_another(
    database: Database, rubric: Path, rubric_text: str, asked: dict[str, Any]
) -> None:
    with served(sees) as (_, model):
        judge, *_ = judged(database, rubric, model, pairs=1)
        rubric.write_text(rubric_text)
        other, *_ = judged(database, rubric, model, pairs=1, **asked)
    assert judge != other
    with database.read() as connection:
        names = connection.execute("select evaluator_id from evaluators where name = 'pairwise_judge'").fetchall()
    assert {name for (name,) in names} == {judge, other}


def test_a_bridge_of_100_pairs_links_the_new_judge_to_the_old_one(database: Database, rubric: Path) -> None:
    """The new one is asked in other words, and says the other thing on a share of the questions."""
    with served(sees) as (server, model):
        old, *_ = judged(database, rubric, model, pairs=110)
    with served(leans(0.2, "new")) as (server, model):
        new, pairing, found = judged(database, rubric, model, bridge=old[:6])
        assert len(server.completions) == 2 * BRIDGE == 200
    [link] = found.links
    assert (link.judge, link.other, link.pairs) == (f"judge-1 ({old[:8]})", f"judge-1 ({new[:8]})", BRIDGE)
    stored = [one for one in judgements.every(database, *pairing.ids) if one.judge == new]
    apart = {one.page_id for one in stored if (one.value == 1) != (better(one.page_id) == "a")}
    assert link.agreement == pytest.approx(1 - len(apart) / BRIDGE)
    assert link.agreement_low < link.agreement < link.agreement_high
    assert link.low < link.difference < link.high
    linked = {one.page_id for one in stored}
    assert linked == {pair.page_id for pair in pairing.pairs[:BRIDGE]}


def test_a_bridge_leads_to_somebody_who_has_judged(database: Database, rubric: Path) -> None:
    with served(sees) as (_, model), pytest.raises(UsageError, match="--bridge names one of: nobody yet"):
        judged(database, rubric, model, bridge="Ada")


def test_a_win_rate_is_corrected_by_people_who_judged_a_share_of_the_pairs(
    database: Database, rubric: Path, add_answers_to: AddAnswers
) -> None:
    """The judge takes two of five worse texts of run b for better ones, whatever the order, which no bias shows."""

    def says(prompt: str) -> str:
        run_b_is_better = any(f"{BETTER}, number {page}." in prompt for page in range(4, PAGES + 1, 4))
        page = prompt.partition(", number ")[2].partition(".")[0]
        is_wrong = not run_b_is_better and share(page) < 0.4
        return {"A": "B", "B": "A"}[sees(prompt)] if is_wrong else sees(prompt)

    add_answers_to("Ada", lambda page, criterion: better(page) if page <= 80 else "unreadable")
    with served(says) as (_, model):
        *_, found = judged(database, rubric, model)
    rows = {row.kind: row for row in found.preferences}
    assert rows["model"].high < 0.75
    assert rows["corrected"].low <= 0.75 <= rows["corrected"].high
    assert (rows["corrected"].judged_by_people, rows["corrected"].pairs) == (80, PAGES)
    assert abs(rows["corrected"].win_rate - 0.75) < abs(rows["model"].win_rate - 0.75)
    [link] = found.links
    assert (link.judge, link.pairs) == ("people", 80)
    assert link.high < 0


@pytest.fixture
def add_answers_to(database: Database, rubric: Path) -> AddAnswers:
    """Answers by the rubric of this module."""
    return answers_by(database, pair_up(database, JudgeRequest(run_a=GREEDY, run_b=NUCLEUS, rubric=rubric)))


def test_too_few_pairs_by_people_correct_nothing_and_it_is_said(
    database: Database, rubric: Path, add_answers_to: AddAnswers
) -> None:
    with served(sees) as (_, model):
        _, pairing, _ = judged(database, rubric, model, pairs=20)
        few = {pair.page_id for pair in pairing.pairs[:12]}
        add_answers_to("Ada", lambda page, criterion: better(page) if page in few else "unreadable")
        *_, found = judged(database, rubric, model, pairs=20)
    assert {row.kind for row in found.preferences} == {"people", "model"}
    assert found.notes[0].endswith("fluency both 12 of 20")


def test_a_checkpoint_on_this_machine_is_asked_and_not_believed(
    database: Database, rubric: Path, toy_checkpoint: Path
) -> None:
    """It has never read such a question, and says nothing that can be read: all of that is counted."""
    judge, pairing, found = judged(database, rubric, {"model": str(toy_checkpoint)}, pairs=3, max_new_tokens=4)
    stored = judgements.every(database, *pairing.ids)
    assert len(stored) == 6
    assert {one.judge for one in stored} == {judge}
    assert {(one.page_id, one.first) for one in stored} == {
        (pair.page_id, first) for pair in pairing.pairs for first in ("a", "b")
    }
    assert sum(one.answer == "unreadable" for one in stored) == 6
    assert {(one.page_id, one.first): one.said for one in stored} == _asked_one_by_one(toy_checkpoint, pairing)
    assert found.preferences == []
    assert "fluency 6" in found.notes[0]


def _asked_one_by_one(checkpoint: Path, pairing: Pairing) -> dict[tuple[int, Run], str]:
    """What the model says to each question alone."""
    from newwiki.models.huggingface import HuggingFaceModel

    model, [greedy], [criterion] = HuggingFaceModel(str(checkpoint)), parse("greedy"), pairing.rubric.criteria
    orders: tuple[Run, Run] = ("a", "b")
    said = {}
    for pair in pairing.pairs:
        for first in orders:
            given = f"{pair.title}\n\n{pair.first_sentence}"
            prompt = Prompt(pair.page_id, pairing.rubric.question(criterion, given, *pair.in_order(first)))
            [[answer]] = model.complete([(prompt, 0)], greedy, Writing(max_new_tokens=4))
            said[pair.page_id, first] = answer.text
    return said
