"""The anchors of a leaderboard: kinds of texts of known quality, and their lengths."""

import math

BEGINNING = "anchor:"
REPEAT, OTHER, SHUFFLED, HALF, ARTICLE = (
    f"{BEGINNING}{kind}" for kind in ("repeat", "other", "shuffled", "half", "article")
)
# From the floor to the ceiling, as tables show them; the position of an anchor is stable.
ANCHORS = {
    REPEAT: "the first sentence, repeated",
    OTHER: "another article of the snapshot",
    SHUFFLED: "the article's words, shuffled",
    HALF: "the article with every second sentence of another",
    ARTICLE: "the article's beginning",
}
# Lengths in words. Anchors have the one nearest to a run's median, so that runs of similar length share them.
LENGTHS = (15, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480)


def nearest_length(words: float) -> int:
    """Return the length of anchors for texts of this median number of words: the nearest by ratio."""
    return min(LENGTHS, key=lambda length: abs(math.log(max(words, 1) / length)))
