"""Whose text is in the first place, and how a model's answer is read."""

from datetime import UTC, datetime

import pytest

from newwiki.judging.judgement import Answer, Judgement, Pair, Run, read_answer


def pair(page_id: int) -> Pair:
    return Pair(
        run_a="aaaa", run_b="bbbb", page_id=page_id, title="Arve", first_sentence="Arve is a river.", sample_a=0,
        sample_b=3, text_a="one", text_b="other",
    )  # fmt: skip


def judgement(first: Run, answer: Answer) -> Judgement:
    return Judgement(
        run_a="aaaa", run_b="bbbb", page_id=1, sample_a=0, sample_b=0, judge="Ada", judge_kind="person",
        rubric_sha256="r", criterion="fluency", first=first, answer=answer, said=None,
        judged_at=datetime(2026, 11, 1, tzinfo=UTC),
    )  # fmt: skip


def test_texts_come_in_the_order_that_is_drawn() -> None:
    assert pair(1).in_order("a") == ("one", "other")
    assert pair(1).in_order("b") == ("other", "one")


@pytest.mark.parametrize(
    ("first", "answer", "value"),
    [
        ("a", "first", 1),
        ("a", "second", 0),
        ("b", "first", 0),
        ("b", "second", 1),
        ("a", "tie", 0.5),
        ("b", "tie", 0.5),
    ],
)
def test_the_value_is_that_of_run_a_wherever_its_text_stood(first: Run, answer: Answer, value: float) -> None:
    assert judgement(first, answer).value == value


def test_what_cannot_be_read_has_no_value() -> None:
    assert judgement("a", "unreadable").value is None


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("A", "first"),
        (" B.", "second"),
        ("\n\n**A**\nbecause it is better", "first"),
        ("Answer: tie", "tie"),
        ("Tie", "tie"),
        ("Text B", "second"),
        ('"B"', "second"),
        ("", "unreadable"),
        ("A tie", "unreadable"),
        ("A is better than B", "unreadable"),
        ("A or B", "unreadable"),
        ("Both", "unreadable"),
        ("Better", "unreadable"),
        ("Apples", "unreadable"),
        ("I would say that text A reads better.", "unreadable"),
        ("C", "unreadable"),
        ("<think>\nA is better.\n</think>\n\nB", "second"),
        ("</think>\n\nA", "first"),
        ("<think>\nA", "unreadable"),
        ("Answer: A\nAnswer: B", "unreadable"),
        ("The answer is B", "second"),
        ("Final answer: A", "first"),
        ("\\boxed{A}", "first"),
        ("A\nA", "first"),
    ],
)
def test_an_answer_must_be_one_word_and_is_never_guessed(said: str, answer: Answer) -> None:
    assert read_answer(said) == answer
