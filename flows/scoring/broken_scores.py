"""Count the scores that are missing because an evaluator failed on a text, and report them at the end."""

from collections import Counter
from collections.abc import Iterable

from evaluators.scoring import is_broken
from flows.presenting.numbers import counted
from flows.progress import Progress
from newwiki.records import RunScore, Score


class BrokenScores:
    """The number of texts without a score, by metric and status."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def count(self, scores: Iterable[Score | RunScore]) -> None:
        self._counts.update((score.metric, score.status) for score in scores if is_broken(score.status))

    def tell(
        self, progress: Progress, unit: str, stored: str = "; they are NULL, and `status` in the table scores says why"
    ) -> None:
        """Note the number of missing scores and the most frequent reason for each metric.

        `unit` is the noun in the singular. `stored` ends the note: where to look the reasons up.
        """
        for metric in dict.fromkeys(name for name, _ in self._counts):
            reasons = {status: number for (name, status), number in self._counts.items() if name == metric}
            number, status = sum(reasons.values()), max(reasons, key=lambda reason: (reasons[reason], reason))
            others = f", and {len(reasons) - 1} other reasons" if len(reasons) > 1 else ""
            what = f"{counted(number, unit)}"
            progress.note(f"{metric} has no number for {what}: {status}{others}{stored}")
