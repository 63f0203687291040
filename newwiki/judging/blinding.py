"""Which text a judge sees first, in which order pairs and sentences come, and their names, all from a secret."""

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

    Each draw has a label of its own, so that a pair's id says nothing about its order.
    """

    secret: bytes = field(repr=False)

    def pair_id(self, pair: Pair, judge: str) -> str:
        """The name of the pair before this judge: 20 hexadecimal digits."""
        return self._drawn("pair", *_parts(pair), judge).hex()[:20]

    def first(self, pair: Pair, judge: str) -> Run:
        """The run whose text this judge sees in the first place."""
        return "b" if self._drawn("first", *_parts(pair), judge)[0] & 1 else "a"

    def shuffled(self, pairs: Sequence[Pair]) -> list[Pair]:
        """The pairs in the order in which every judge gets them, so that judges who stop early have judged the same."""
        return sorted(pairs, key=lambda pair: self._drawn("place", *_parts(pair)))

    def sentence_id(self, sentence: Sentence, judge: str) -> str:
        """The name of the sentence before this judge: 20 hexadecimal digits."""
        return self._drawn("sentence id", *_place_of(sentence), judge).hex()[:20]

    def sentence(self, of_page: Sequence[Sentence]) -> Sentence:
        """The sentence that is labelled of those that a run has on a page."""
        return min(of_page, key=lambda one: self._drawn("sentence", *_place_of(one)))

    def page(self, run_id: str, page_id: int) -> bytes:
        """Sorts the pages of a run, and those of several runs, in an order that says nothing of either."""
        return self._drawn("sentence page", run_id, str(page_id))

    def _drawn(self, *parts: str) -> bytes:
        return hmac.new(self.secret, "\n".join(parts).encode(), hashlib.sha256).digest()


def exported_by_earlier_version(pair: Pair, batch: str) -> str:
    """The name that versions before 0037 of the schema gave a pair in a file: anyone could derive its order from it."""
    return hashlib.sha256("\n".join((*_parts(pair), batch)).encode()).hexdigest()[:16]


def _parts(pair: Pair) -> tuple[str, ...]:
    return pair.run_a, pair.run_b, str(pair.page_id), str(pair.sample_a), str(pair.sample_b)


def _place_of(sentence: Sentence) -> tuple[str, ...]:
    return (
        sentence.run_id, str(sentence.page_id), str(sentence.sample), str(sentence.start_char), str(sentence.end_char)
    )  # fmt: skip
