"""The judgments of two runs as values: 1 if the judge prefers the run that the user named first."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean

from newwiki.judging.judgement import JudgeKind, Judgement, Run

Page = int
Values = Mapping[Page, float]  # values of pairs by page id; each article has one pair


@dataclass(frozen=True)
class Judge:
    """A judge. `words` is the displayed name, and `origin` is the database of the answers ('' for this database).

    The same name from two origins stands for two judges.
    """

    id: str
    kind: JudgeKind
    words: str
    origin: str


def from_origin(name: str, origin: str) -> str:
    """Return the judge's name with the beginning of the other database's id, or the plain name for this database."""
    return f"{name} (from {origin[:8]})" if origin else name


class JudgedValues:
    """The judgments of two runs by judge and criterion, with values relative to the run that the user named first."""

    def __init__(self, judgements: Iterable[Judgement], names: Mapping[str, str], rubric: str, *, turned: bool) -> None:
        self._by: dict[tuple[Judge, str], list[Judgement]] = defaultdict(list)
        self._turned = turned
        for judgement in judgements:
            name = (
                f"{names[judgement.judge]} ({judgement.judge[:8]})"
                if judgement.judge_kind == "model"
                else judgement.judge
            )
            name = from_origin(name, judgement.origin)
            words = name if judgement.rubric_sha256 == rubric else f"{name}, rubric {judgement.rubric_sha256[:8]}"
            self._by[Judge(judgement.judge, judgement.judge_kind, words, judgement.origin), judgement.criterion].append(
                judgement
            )

    def judges(self, criterion: str, kind: JudgeKind | None = None) -> list[Judge]:
        """Return the judges who have answered, in the order in which they started."""
        return [judge for judge, answered in self._by if answered == criterion and kind in (None, judge.kind)]

    def values(self, judge: Judge, criterion: str) -> Values:
        """Return a value for each pair. For models, this is the mean of both orders, if both answers are readable."""
        needed = 2 if judge.kind == "model" else 1
        return {
            page: self._seen(fmean(values.values()))
            for page, values in self._readable(judge, criterion).items()
            if len(values) == needed
        }

    def in_both_orders(self, judge: Judge, criterion: str) -> list[tuple[float, float]]:
        """Return the values with run a's text first and with it second, for pairs that have both."""
        by_order = self._readable(judge, criterion).values()
        return [(values["a"], values["b"]) for values in by_order if len(values) == 2]

    def unreadable(self, judge: Judge, criterion: str) -> int:
        return sum(judgement.value is None for judgement in self._by[judge, criterion])

    def of_people(self, criterion: str) -> Mapping[Page, list[float]]:
        """Return the values of all people for each pair, by page id."""
        values_by_page = defaultdict[Page, list[float]](list)
        for judge in self.judges(criterion, "person"):
            for page, value in self.values(judge, criterion).items():
                values_by_page[page].append(value)
        return values_by_page

    def _readable(self, judge: Judge, criterion: str) -> Mapping[Page, Mapping[Run, float]]:
        by_page = defaultdict[Page, dict[Run, float]](dict)
        for judgement in self._by[judge, criterion]:
            if judgement.value is not None:
                by_page[judgement.page_id][judgement.first] = judgement.value
        return by_page

    def _seen(self, value: float) -> float:
        return 1 - value if self._turned else value
