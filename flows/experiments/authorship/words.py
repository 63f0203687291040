"""State in sentences what the comparison shows, and what it is not."""

from collections.abc import Sequence

from evaluators import statistics
from flows.experiments.authorship.articles import Marked
from flows.experiments.authorship.findings import MOVED, NO_INTERVAL, TOLD_APART, TOO_FEW
from flows.experiments.authorship.request import Mark
from flows.experiments.authorship.result_tables import AuthorshipDifference, AuthorshipSeparation
from flows.presenting.numbers import counted, digits, estimate, fixed, interval, signed
from newwiki.decoding.grammar import short_form
from newwiki.snapshot import Snapshot

_LISTED = 5  # maximum number of means in a sentence
_MARKS = {
    "machine_generated": "editors suspect that a language model wrote them",
    "tagged": "they have a maintenance template",
    "deleted": "they were deleted later",
    "any": "they have a maintenance template or were deleted later",
}
LIMITS = (
    "a tag is the suspicion of an editor, not a measurement: articles without one may have been written in any way, so "
    "this measures a confound, detects no machine-written text, and says nothing about the people who wrote the "
    "articles"
)


def verdict(told: Sequence[AuthorshipSeparation], moved: Sequence[AuthorshipDifference]) -> str:
    """Return the verdict on the likelihood, and the number of means that the marked articles move."""
    likelihood = f"likelihood: {told[0].verdict}" if told else "likelihood: no model has read the articles"
    tested = [row for row in moved if row.verdict != NO_INTERVAL]
    if not tested:
        return f"{likelihood}; means: {TOO_FEW}"
    return f"{likelihood}; {sum(row.verdict == MOVED for row in tested)} of {len(tested)} means moved"


def sentence(told: Sequence[AuthorshipSeparation], moved: Sequence[AuthorshipDifference]) -> str:
    """Return the answer in sentences."""
    if not told:
        first = "No model has read the articles, so nothing is known of their likelihood"
    elif told[0].verdict == TOO_FEW:
        first = (
            f"{told[0].marked:,} marked of {told[0].articles:,} articles are too few to tell whether their likelihood "
            f"differs; at least {statistics.FEWEST} marked and as many other articles are needed"
        )
    elif told[0].verdict == TOLD_APART:
        direction = "likelier" if told[0].auc > 0.5 else "less likely"
        first = f"Marked articles are {direction} than the others for {told[0].model}: {separation_words(told[0])}"
    else:
        first = f"It cannot be told whether the likelihood of marked articles differs: {separation_words(told[0])}"
    tested = [row for row in moved if row.verdict != NO_INTERVAL]
    moving = [row for row in tested if row.verdict == MOVED]
    if not tested:
        return first
    if not moving:
        return f"{first}. None of {len(tested)} means of runs is shown to depend on the marked articles"
    return f"{first}. {len(moving)} of {len(tested)} means of runs depend on the marked articles"


def separation_words(row: AuthorshipSeparation) -> str:
    area = estimate(row.auc, row.low, row.high, _three)
    return f"a marked article has fewer bits per byte than another one with probability {area}"


def words(
    told: Sequence[AuthorshipSeparation],
    moved: Sequence[AuthorshipDifference],
    marked: Marked,
    snapshot: Snapshot,
    mark: Mark,
) -> list[str]:
    """Return sentences about the groups, the likelihood, the means, and the limits of the answer."""
    later = ", ".join(marked.editions)
    sentences = [
        f"{len(marked.rows):,} of {len(marked.pages):,} articles of {snapshot.snapshot_id} are marked, because "
        f"{_MARKS[mark]}: {marked.tagged:,} by a tag at the cutoff, {marked.deleted:,} by a later deletion"
        + (f" ({later})" if later else "; nobody has looked for later deletions (`newwiki snapshots revisit`)")
    ]
    if marked.unknown:
        verb = "is" if marked.unknown == 1 else "are"
        sentences.append(
            f"{counted(marked.unknown, 'article')} {verb} in neither group: tags or a deletion's reason are unknown"
        )
    if told:
        first = told[0]
        length = f"{_three(first.length_auc)} {interval(first.length_low, first.length_high, _three)}"
        sentences.append(
            f"{first.model}: {first.verdict}; {separation_words(first)}; it has more words with probability {length}"
        )
    moving = sorted((row for row in moved if row.verdict == MOVED), key=_size, reverse=True)
    sentences += [f"moved: {moved_words(row)}" for row in moving[:_LISTED]]
    if len(moving) > _LISTED:
        sentences.append(f"{len(moving) - _LISTED} more means are moved; authorship_differences lists them")
    return [*sentences, LIMITS]


def moved_words(row: AuthorshipDifference) -> str:
    """Return what a mean is with and without the marked articles."""
    shift = estimate(row.shift, row.shift_low, row.shift_high, signed, row.no_interval)
    return (
        f"{row.metric} of {row.model} under {short_form(row.decoder)} is {digits(row.mean_with)} with and "
        f"{digits(row.mean_without, row.mean_with)} without {counted(row.marked, 'marked article')}, a shift of {shift}"
    )


def _size(row: AuthorshipDifference) -> float:
    """Return the shift as a share of the mean, which orders metrics of different scales."""
    return abs((row.shift or 0.0) / (row.mean_with or 1.0))


def _three(number: float) -> str:
    return fixed(number, 3)
