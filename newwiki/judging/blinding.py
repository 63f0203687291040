"""Derive from a secret which text a judge sees first, the order of pairs and sentences, and their ids."""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field

from newwiki.judging.claim_label import Sentence
from newwiki.judging.judgement import Pair, Run

SECRET_BYTES = 32


@dataclass(frozen=True)
class Blinding:
    """Draws by HMAC-SHA256 under a secret that no judge, file or shared folder has.

    Each draw has a label of its own, so a pair's id reveals nothing about its order.
    """

    secret: bytes = field(repr=False)

    def pair_id(self, pair: Pair, judge: str) -> str:
        """Return the id of the pair for this judge: 20 hexadecimal digits."""
        return self._drawn("pair", *_parts(pair), judge).hex()[:20]

    def first(self, pair: Pair, judge: str) -> Run:
        """Return the run whose text this judge sees first."""
        return "b" if self._drawn("first", *_parts(pair), judge)[0] & 1 else "a"

    def shuffled(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Return the pairs in the order that every judge gets, so judges who stop early have judged the same pairs."""
        return sorted(pairs, key=lambda pair: self._drawn("place", *_parts(pair)))

    def sentence_id(self, sentence: Sentence, judge: str) -> str:
        """Return the id of the sentence for this judge: 20 hexadecimal digits."""
        return self._drawn("sentence id", *_place_of(sentence), judge).hex()[:20]

    def sentence(self, candidates: Sequence[Sentence]) -> Sentence:
        """Choose the sentence to label among those that a run has on a page."""
        return min(candidates, key=lambda sentence: self._drawn("sentence", *_place_of(sentence)))

    def page(self, run_id: str, page_id: int) -> bytes:
        """Return a sort key for the pages of one run or several, whose order reveals nothing about either."""
        return self._drawn("sentence page", run_id, str(page_id))

    def _drawn(self, *parts: str) -> bytes:
        return hmac.new(self.secret, "\n".join(parts).encode(), hashlib.sha256).digest()


def exported_by_earlier_version(pair: Pair, batch: str) -> str:
    """Return the id that versions before schema 0037 exported for a pair: anyone could derive its order from it."""
    return hashlib.sha256("\n".join((*_parts(pair), batch)).encode()).hexdigest()[:16]


def _parts(pair: Pair) -> tuple[str, ...]:
    return pair.run_a, pair.run_b, str(pair.page_id), str(pair.sample_a), str(pair.sample_b)


def _place_of(sentence: Sentence) -> tuple[str, ...]:
    return (
        sentence.run_id, str(sentence.page_id), str(sentence.sample), str(sentence.start_char), str(sentence.end_char)
    )  # fmt: skip
