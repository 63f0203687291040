"""The evaluators of a scoring, with their models loaded."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from evaluators.analysis import Analysis, Analyst, Maker
from evaluators.scoring import evaluator_id_of, fingerprint, is_installed, made_by, needs_of, select
from flows.progress import Progress
from flows.scoring.text_budget import Chosen, TextBudget
from newwiki.prompting.prompt_set import JudgedText
from newwiki.records import Fingerprint
from newwiki.registry import Evaluator, ReadingEvaluator, SetEvaluator, makers
from newwiki.request import ScoringRequest
from newwiki.settings import Settings
from newwiki.snapshot import Article
from newwiki.text.prompts import DEFAULT_TEMPLATE, fill
from storage import references
from storage.database import Database

Known = Mapping[int, Mapping[str, Any]]  # by page id and part
_JUDGED = "judged_text"  # name of a fingerprint's parameter
NewParts = list[tuple[int, str, Any]]  # page id, part, value


class LoadedEvaluators:
    """The evaluators with their models loaded. Costly evaluators score only the texts that the `budget` chooses."""

    def __init__(
        self,
        evaluators: Sequence[Evaluator],
        settings: Settings,
        budget: int = ScoringRequest.budget,
        judged: JudgedText = "prompt-and-completion",
    ) -> None:
        """Load the models of these evaluators.

        Ignores evaluators of likelihood runs, because they score no texts. `judged` selects the text that is scored in
        a run on a prompt set, and it is part of the fingerprints. Raises TerminalError if a required model is missing.
        """
        evaluators = [evaluator for evaluator in evaluators if not isinstance(evaluator, ReadingEvaluator)]
        self.evaluators = [evaluator for evaluator in evaluators if not isinstance(evaluator, SetEvaluator)]
        self.set_evaluators = [evaluator for evaluator in evaluators if isinstance(evaluator, SetEvaluator)]
        self.settings = settings
        self.budget: Chosen = TextBudget(budget)
        needs = needs_of(evaluators)
        self._analyst = Analyst(*_makers(needs, settings))
        makers_of_needs = self._analyst.makers(needs)
        self._makers = {part: made_by(maker, part) for maker in makers_of_needs for part in maker.parts & needs}
        self.judged = judged
        self.fingerprints = {e.name: _judging(judged, fingerprint(e, self._analyst)) for e in evaluators}
        self.seconds = self._analyst.seconds

    @property
    def slowest(self) -> str:
        """The three slowest models and evaluators with their time shares, such as `all-MiniLM-L6-v2 81%, bleu 9%`."""
        total = sum(self.seconds.values())
        named = [(name, seconds) for name, seconds in self.seconds.items() if name and seconds]
        longest = sorted(named, key=lambda entry: -entry[1])[:3]
        return ", ".join(f"{name.split('/')[-1]} {seconds / total:.0%}" for name, seconds in longest)

    def only(self, evaluators: Sequence[Evaluator]) -> "LoadedEvaluators":
        """Return a copy with only these evaluators. Their models are not loaded again."""
        subset = copy(self)
        subset.evaluators = [evaluator for evaluator in self.evaluators if evaluator in evaluators]
        subset.set_evaluators = [evaluator for evaluator in self.set_evaluators if evaluator in evaluators]
        subset.fingerprints = {evaluator.name: self.fingerprints[evaluator.name] for evaluator in evaluators}
        return subset

    @property
    def all_ids(self) -> set[str]:
        """The ids of the text evaluators and of the set evaluators."""
        return self.ids([*self.evaluators, *self.set_evaluators])

    def ids(self, evaluators: Sequence[Evaluator]) -> set[str]:
        return {self.fingerprints[evaluator.name].evaluator_id for evaluator in evaluators}

    def analyse(
        self,
        texts: Sequence[str],
        prompts: Sequence[str],
        evaluators: Sequence[Evaluator],
        articles: Sequence[Article] | None = None,
        language: str | None = None,
    ) -> list[Analysis]:
        """Analyze texts that continue these prompts. `articles` holds the article that each text is about."""
        return self._analyst.analyse(texts, needs_of(evaluators), prompts, articles=articles, language=language)

    def known(
        self, database: Database, snapshot_id: str, articles: Sequence[Article], evaluators: Sequence[Evaluator]
    ) -> Known:
        """Return the stored model analyses of reference articles, by page id and part."""
        ids = [article.page_id for article in articles]
        makers = self._made_by(needs_of(evaluators))
        return (
            references.known_parts(database, snapshot_id, ids, makers) if makers else {page_id: {} for page_id in ids}
        )

    def examine(
        self, articles: Sequence[Article], evaluators: Sequence[Evaluator], known: Known, language: str | None = None
    ) -> tuple[dict[int, Analysis], NewParts]:
        """Return the analyses of reference articles by page id, and the new parts that were not in `known`."""
        needs = needs_of(evaluators)
        models = self._made_by(needs)
        stored = [known[article.page_id] for article in articles]
        texts = [article.completion for article in articles]
        prompts = [fill(DEFAULT_TEMPLATE, article.title, article.first_sentence) for article in articles]
        read = self._analyst.analyse(texts, needs, prompts, stored, articles, language)
        analyses = {article.page_id: analysis for article, analysis in zip(articles, read, strict=True)}
        new_parts = [
            (page_id, part, analysis.parts[part])
            for page_id, analysis in analyses.items()
            for part in models
            if part not in known[page_id]
        ]
        return analyses, new_parts

    def keep(self, database: Database, snapshot_id: str, new_parts: NewParts, evaluators: Sequence[Evaluator]) -> None:
        """Store new analyses of reference articles."""
        references.add_parts(database, snapshot_id, new_parts, self._made_by(needs_of(evaluators)))

    def read(
        self,
        database: Database,
        snapshot_id: str,
        articles: Sequence[Article],
        evaluators: Sequence[Evaluator],
        language: str | None = None,
    ) -> dict[int, Analysis]:
        """Return the analyses of reference articles by page id.

        Reuse stored analyses, and compute and store missing analyses.
        """
        known = self.known(database, snapshot_id, articles, evaluators)
        analyses, new_parts = self.examine(articles, evaluators, known, language)
        self.keep(database, snapshot_id, new_parts, evaluators)
        return analyses

    def _made_by(self, needs: frozenset[str]) -> dict[str, str]:
        return {part: maker for part, maker in self._makers.items() if part in needs}


def judged_by(described: Fingerprint) -> JudgedText:
    """Return the text that this evaluator scores in a run on a prompt set, according to its fingerprint."""
    return "completion" if described.parameters.get(_JUDGED) == "completion" else "prompt-and-completion"


def _judging(judged: JudgedText, described: Fingerprint) -> Fingerprint:
    """Add the judged text to the fingerprint, except for the default, which earlier fingerprints do not name."""
    if judged == "prompt-and-completion":
        return described
    named = replace(described, parameters={**described.parameters, _JUDGED: judged})
    return replace(named, evaluator_id=evaluator_id_of(named))


def choose(metrics: str, settings: Settings, progress: Progress) -> list[Evaluator]:
    """Return the evaluators of these metrics.

    `all` leaves out evaluators whose models are not on this machine or whose packages are not installed. `claims`
    leaves out evaluators that lack a setting. A note names the omitted metrics.
    """
    chosen = select(metrics)
    if metrics != "all":
        return _set_up(chosen, frozenset(name.strip() for name in metrics.split(",")), settings, progress)
    here = [e for e in chosen if is_installed(e) and all(makers.get(part).at_hand(settings) for part in e.needs)]
    if away := sorted(metric.name for evaluator in chosen if evaluator not in here for metric in evaluator.metrics):
        progress.note(
            f"all leaves out {', '.join(away)}: their models, packages or files are not on this machine; ask for one "
            "by name to have it, or to hear what it needs"
        )
    return here


def _set_up(
    chosen: Sequence[Evaluator], named: frozenset[str], settings: Settings, progress: Progress
) -> list[Evaluator]:
    """Drop evaluators that lack a setting, except those that the user named."""
    usable = []
    for evaluator in chosen:
        lacking = {makers.get(part).unset(settings) for part in evaluator.needs} - {""}
        if lacking and named.isdisjoint(metric.name for metric in evaluator.metrics):
            progress.note(f"{evaluator.name} is left out: {'; '.join(sorted(lacking))}")
        else:
            usable.append(evaluator)
    return usable


def _makers(needs: frozenset[str], settings: Settings) -> list[Maker]:
    """Load the makers of these parts. Makers that are not on this machine come first, so that a failure shows early."""
    wanted = sorted(map(makers.get, sorted(needs)), key=lambda maker: maker.at_hand(settings))
    return [load(settings) for load in dict.fromkeys(maker.load for maker in wanted)]
