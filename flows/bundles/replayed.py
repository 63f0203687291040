"""How far a run of a bundle was confirmed with the checker's own copy of its checkpoint."""

from dataclasses import dataclass
from typing import Literal

# `replay`: each token was, or was not, what the decoder chooses. `anew`: completions were generated again. `reading`:
# articles were read again, and scores compared. `plausibility`: a likelihood, which confirms no text.
Kind = Literal["replay", "anew", "reading", "plausibility"]


@dataclass(frozen=True)
class Replayed:
    """Of a run's `of` completions (articles, for a likelihood run), `completions` were drawn and looked at.

    `confirmed` of their `looked_at` tokens are right: scores for the kind `reading`, texts for `plausibility`.
    `demanded` is the least share of them with which a run passes. Where nothing could be looked at, `passed` is False
    and `why` says the reason.
    """

    run_id: str
    kind: Kind
    confirmed: int
    looked_at: int
    completions: int
    of: int
    demanded: float
    passed: bool
    why: str = ""
