"""Which text of a pair a judge sees first, in which order pairs come, and what a pair is called, all from a secret."""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field

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

    def _drawn(self, *parts: str) -> bytes:
        return hmac.new(self.secret, "\n".join(parts).encode(), hashlib.sha256).digest()


def exported_by_earlier_version(pair: Pair, batch: str) -> str:
    """The name that versions before 0037 of the schema gave a pair in a file: anyone could derive its order from it."""
    return hashlib.sha256("\n".join((*_parts(pair), batch)).encode()).hexdigest()[:16]


def _parts(pair: Pair) -> tuple[str, ...]:
    return pair.run_a, pair.run_b, str(pair.page_id), str(pair.sample_a), str(pair.sample_b)
