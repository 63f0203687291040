"""The questions for one person, the answers so far, and the next question."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from flows.judging.pairing import Pairing
from newwiki.errors import UsageError
from newwiki.judging.judgement import Answer, Judgement, Pair
from newwiki.judging.rubric import Criterion
from storage import judgements
from storage.database import Database

# The values that buttons and keys send
ANSWERS: dict[str, Answer] = {"first": "first", "second": "second", "tie": "tie"}


@dataclass(frozen=True)
class Question:
    """A pair as this person sees it, and one criterion.

    `number` counts pairs from 1. No field reveals which run wrote a text.
    """

    name: str
    criterion: Criterion
    title: str
    beginning: str
    texts: tuple[str, str]
    number: int
    place: int
    answer: Answer | None


class Sheet:
    """All questions for one person, pair by pair, and the answers so far.

    They are read from the database once, because nobody else answers under this name. Each answer is a separate
    transaction that locks the file for milliseconds, so that others can read and write between two answers.
    """

    def __init__(self, database: Database, pairing: Pairing, person: str) -> None:
        self._database, self._pairing, self.person = database, pairing, person
        self._lock = threading.Lock()
        blinding = judgements.begin_blinding(database, *pairing.ids, pairing.rubric)
        self._pairs = {blinding.pair_id(pair, person): pair for pair in blinding.shuffled(pairing.pairs)}
        stored = judgements.answered(database, *pairing.ids, person, "person", pairing.rubric)
        begun = {
            judgement.page_id: judgement.first for judgement in stored
        }  # a pair keeps the order in which it was first shown
        self._first = {
            name: begun.get(pair.page_id) or blinding.first(pair, person) for name, pair in self._pairs.items()
        }
        by_page = {
            (judgement.page_id, judgement.criterion): judgement.answer
            for judgement in stored
            if judgement.first == begun[judgement.page_id]
        }
        self._answers: dict[tuple[str, str], Answer] = {
            (name, criterion): by_page[pair.page_id, criterion]
            for name, pair in self._pairs.items()
            for criterion in pairing.rubric.names
            if (pair.page_id, criterion) in by_page
        }

    @property
    def criteria(self) -> Sequence[Criterion]:
        return self._pairing.rubric.criteria

    @property
    def pairs(self) -> int:
        return len(self._pairs)

    @property
    def answered(self) -> int:
        return len(self._answers)

    @property
    def questions(self) -> int:
        return self.pairs * len(self.criteria)

    def next_question(self) -> Question | None:
        """Return the first question without an answer, or None if all are answered."""
        for name, criterion in self._order():
            if (name, criterion) not in self._answers:
                return self.question(name, criterion)
        return None

    def before(self, name: str | None, criterion: str | None) -> tuple[str, str] | None:
        """Return the question before this one, or the last question by default; None before the first."""
        order = self._order()
        place = order.index((name, criterion)) if name and criterion else len(order)
        return order[place - 1] if place else None

    def question(self, name: str, criterion: str) -> Question:
        """Return a question. Raises UsageError if it is not on this sheet."""
        pair = self._pair(name)
        names = self._pairing.rubric.names
        if criterion not in names:
            raise UsageError(f"there is no question '{criterion}' here; go back to the page")
        place = names.index(criterion)
        return Question(
            name,
            self.criteria[place],
            pair.title,
            pair.first_sentence,
            pair.in_order(self._first[name]),
            [*self._pairs].index(name) + 1,
            place + 1,
            self._answers.get((name, criterion)),
        )

    def answer(self, name: str, criterion: str, button: str) -> None:
        """Store an answer, replacing an earlier one.

        Raises UsageError for an unknown answer, and TransientError if the database stays locked.
        """
        question, pair = self.question(name, criterion), self._pair(name)
        if button not in ANSWERS:
            raise UsageError(f"'{button}' is no answer; take one of the three buttons")
        judgement = Judgement(
            run_a=pair.run_a,
            run_b=pair.run_b,
            page_id=pair.page_id,
            sample_a=pair.sample_a,
            sample_b=pair.sample_b,
            judge=self.person,
            judge_kind="person",
            rubric_sha256=self._pairing.rubric.sha256,
            criterion=question.criterion.name,
            first=self._first[name],
            answer=ANSWERS[button],
            said=None,
            judged_at=datetime.now(UTC),
        )
        with self._lock:
            judgements.keep(self._database, self._pairing.rubric, [judgement])
            self._answers[name, criterion] = judgement.answer

    def _order(self) -> list[tuple[str, str]]:
        return [(name, criterion) for name in self._pairs for criterion in self._pairing.rubric.names]

    def _pair(self, name: str) -> Pair:
        if name not in self._pairs:
            raise UsageError("there is no such pair here; go back to the page")
        return self._pairs[name]
