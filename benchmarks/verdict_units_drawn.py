"""Draw units for the experiments' answers in `verdict_units.py`, and return whether the product reports an effect."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from evaluators import linking, statistics
from evaluators.claims.verifiability import Support
from evaluators.linking import Month, Step
from flows.comparing.difference import verdict
from flows.experiments import directions
from flows.experiments.authorship.findings import MOVED, TOLD_APART, ReadRun, separations
from flows.experiments.authorship.findings import differences as authorship_differences
from flows.experiments.contrast import differences as contrasts
from flows.experiments.contrast.result_tables import ContrastVariant
from flows.experiments.contrast.variants import DECODERS
from flows.experiments.corpora import findings as phrases
from flows.experiments.corpora.phrase_sets import PhraseSets
from flows.experiments.corpora.responses import Responses
from flows.experiments.cutoff import findings as cutoffs
from flows.experiments.exposure_bias import words as exposures
from flows.experiments.exposure_bias.findings import trends
from flows.experiments.exposure_bias.measuring import Measured
from flows.experiments.exposure_bias.prefixes import MODEL
from flows.experiments.exposure_bias.result_tables import ExposureScore
from flows.experiments.leakage import gaps as leakage
from flows.experiments.leakage.blind_baseline import separation, set_beside
from flows.experiments.leakage.words import verdict as leakage_verdict
from flows.experiments.linking.anchors_held import AnchorModel, odd_anchors
from flows.experiments.linking.words import differing
from flows.experiments.metrics import pairs as texts_apart
from flows.experiments.metrics.ladder import OTHER, RUNGS
from flows.experiments.verifiability import metrics as verifiable
from flows.experiments.verifiability.texts import Texts

Array = NDArray[np.float64]
Random = np.random.Generator
PROMPTS, MODELS = 24, ("a", "b")


def contrast(random: Random, effect: float) -> bool:
    """Simulate three decoders compared with the main one, for two models and three metrics."""
    found: list[contrasts.ContrastDifference] = []
    decoders, metrics = ("main", "d1", "d2", "d3"), ("m1", "m2", "m3")
    for model in MODELS:
        variants = [
            ContrastVariant(model=model, part=DECODERS, place=place, parameter="decoder", value=name, decoder=name)
            for place, name in enumerate(decoders)
        ]
        shared = random.normal(size=(len(metrics), PROMPTS))
        runs = {}
        for name in decoders:
            values = shared + random.normal(size=shared.shape) + effect * (model == "a" and name == "d1")
            means = {metric: dict(enumerate(of.tolist())) for metric, of in zip(metrics, values, strict=True)}
            runs[name] = contrasts.ReadRun(name, model, name, {}, means)
        found += contrasts.differences(variants, runs, metrics, 0)
    return any(one.verdict in ("higher", "lower") for one in contrasts.judged(found))


def verifiability(random: Random, effect: float) -> bool:
    """Simulate two decoders compared with one, for two models; each prompt has its own probability of support."""
    found: list[verifiable.VerifiabilityDifference] = []
    for model in MODELS:
        chance = random.uniform(0.2, 0.6, PROMPTS)
        texts = [
            _texts(random, model, name, chance, effect * (model == "a" and name == "d1")) for name in ("0", "d1", "d2")
        ]
        found += verifiable.differences(texts, texts[0], 0)
    return any(one.verdict in ("higher", "lower") for one in directions.judged(found))


def _texts(random: Random, model: str, decoder: str, chance: Array, more: float) -> Texts:
    supported = random.binomial(5, np.clip(chance + more, 0, 1))
    keys = [(page, 0) for page in range(PROMPTS)]
    support = {
        key: Support(spg=count / 5, spv=count / 5, uspg=count / 5, uspv=count / 5)
        for key, count in zip(keys, supported.tolist(), strict=True)
    }
    grams = {key: int(number) for key, number in zip(keys, random.integers(80, 120, PROMPTS), strict=True)}
    return Texts(model, decoder, support, grams, dict.fromkeys(keys, 100))


def corpora(random: Random, effect: float) -> bool:
    drawn = []
    for name in MODELS:
        shares = np.full((200, 1), 0.05)
        shares[0] += effect * (name == "a")
        having = random.random((200, 100)) < shares
        of_prompt = {(page, 0): tuple(map(str, np.flatnonzero(having[:, page]))) for page in range(100)}
        run = SimpleNamespace(run_id=name, decoder="top-k")
        drawn.append(Responses(name, cast(Any, run), of_prompt))
    return any(one.verdict == phrases.BEYOND for one in phrases.phrases(PhraseSets(drawn, 0.1), 0))


def exposure(random: Random, effect: float) -> bool:
    """Simulate ten articles, each with its own advantage of texts after data over texts after the model's own text.

    The advantage is the same for all seeds. Without an effect, both prefixes are better equally often, so that the
    ratio of mean scores is 1.
    """
    scores = []
    for model in MODELS:
        better = 0.15 * random.normal(size=10) + effect * (model == "a")
        for seed in range(10):
            halved = (better + 0.15 * random.normal(size=10)) / 2
            after_data, after_own = np.exp(halved), np.exp(-halved)
            score = ExposureScore(
                model=model, decoder="sample", metric="bleu", prefix=MODEL, rate=0.0, prefix_length=20, gap=0,
                seed=seed, texts=10, score=0.5, ratio=float(after_data.mean() / after_own.mean()),
            )  # fmt: skip
            without = [
                float(np.delete(after_data, place).mean() / np.delete(after_own, place).mean()) for place in range(10)
            ]
            scores.append(Measured(score, [0.5] * 10, without))
    said = exposures.verdict(trends(scores), 10)
    return exposures.WORSE in said or exposures.BETTER in said


MARKED = np.arange(200) < 30


def told_apart(random: Random, effect: float) -> bool:
    """Simulate three models that read 200 articles, of which 30 are marked; an article is hard for all models alike."""
    shared = random.lognormal(0, 0.5, 200) - effect * MARKED
    runs = [
        ReadRun(name, name, "likelihood", (shared + 0.3 * random.normal(size=200))[None]) for name in ("a", "b", "c")
    ]
    found = separations(runs, "e", MARKED, random.lognormal(6, 0.4, 200))
    return any(one.verdict == TOLD_APART for one in found)


def means_moved(random: Random, effect: float) -> bool:
    """Simulate the skewed numbers of three runs by two metrics on the same articles; the effect is on one of a run."""
    shared = random.lognormal(0, 0.5, (2, 200))
    runs = [ReadRun(name, name, "greedy", shared * random.lognormal(0, 0.3, (2, 200))) for name in ("a", "b", "c")]
    runs[0].values[0] -= effect * MARKED
    found = authorship_differences(runs, {"m0": "e", "m1": "e"}, MARKED)
    return any(one.verdict == MOVED for one in found)


def gaps(random: Random, effect: float) -> bool:
    """Simulate two models, whose numbers of a pair are correlated, by bits per byte."""
    shared, found = random.normal(size=(2, 30, 1)), []
    for model in MODELS:
        old, new = shared + random.normal(size=shared.shape)
        scores = leakage.PairedScores(model, "likelihood", old - effect * (model == "a"), new)
        found += leakage.gaps({"bits_per_byte": "e"}, scores, None, 0)
    said = leakage_verdict(leakage.judged_together(found, {"bits_per_byte": "lower"}))
    return said.count(leakage.NONE_SHOWN) < len(MODELS)


def memberships(random: Random, effect: float) -> bool:
    old, new, blind_old, blind_new = random.normal(size=(4, 30))
    found = set_beside("a", "score", separation(old + effect, new, 0), separation(blind_old, blind_new, 0))
    return found.difference_low > 0


def cutoff(random: Random, effect: float) -> bool:
    """Simulate 16 months of 10 articles; a month has its own difficulty for each model."""
    months, found = np.repeat(np.arange(24_300, 24_316), 10), []
    for model in MODELS:
        own = 0.3 * random.normal(size=16)
        values = own[months - months[0]] + random.normal(size=len(months)) + effect * (model == "a") * (months > 24_307)
        rows = cutoffs.Rows(
            np.arange(len(months)), months, months, random.lognormal(6, 0.4, len(months)), values[None], None
        )
        made, _ = cutoffs.findings((model, "likelihood"), None, rows, {"bits_per_byte": ("e", "lower")}, None, 0)
        found += made
    return any(one.verdict == cutoffs.FOUND for one in cutoffs.judged(found, None))


class links:
    """Simulate two months of 60 articles, six anchors of six models, and a run on each month, by three metrics."""

    ANCHORS, METRICS, OWN = 6, 3, 0.02

    @classmethod
    def run_apart(cls, random: Random, effect: float) -> bool:
        """Simulate a run of the later month that is better by the effect."""
        step = Step(np.arange(cls.ANCHORS), np.arange(cls.ANCHORS))
        found = []
        for _ in range(cls.METRICS):
            earlier, later = cls._months(random, 0.0, effect)
            line = linking.link(earlier, later, step)
            found.append(linking.linked([earlier, later], [step], [line], cls.ANCHORS, cls.ANCHORS))
        corrected = statistics.holm([one.p for one in found])
        said = [verdict(one.lacking, float(p)) for one, p in zip(found, corrected, strict=True)]
        return "different" in said

    @classmethod
    def month_harder(cls, random: Random, effect: float) -> bool:
        """Simulate a later month that is easier by the effect."""
        step = Step(np.arange(cls.ANCHORS), np.arange(cls.ANCHORS))
        p_values = []
        for _ in range(cls.METRICS):
            earlier, later = cls._months(random, effect, 0.0)
            p_values.append(linking.difficulty([earlier, later], step, linking.link(earlier, later, step)).p)
        return bool(differing(cast(Any, range(cls.METRICS)), p_values))

    @classmethod
    def anchor_apart(cls, random: Random, effect: float) -> bool:
        """Simulate an anchor whose model gains the effect, while the others do not."""
        step, found = Step(np.arange(cls.ANCHORS), np.arange(cls.ANCHORS)), []
        for metric in range(cls.METRICS):
            earlier, later = cls._months(random, 0.0, 0.0)
            later.values[0] += effect
            found += [
                AnchorModel(f"m{metric}", "earlier", "later", f"{one.model}", one.share, one.shift, one.p)
                for one in linking.influences(earlier, later, step)
            ]
        return bool(odd_anchors(found, cls.METRICS))

    @classmethod
    def _months(cls, random: Random, easier: float, better: float) -> tuple[Month, Month]:
        """Draw two months of the anchors' runs and one more run, which differs between the months."""
        ability = random.normal(0.4, 0.1, cls.ANCHORS + 1)
        made = []
        for more, gained in ((0.0, 0.0), (easier, better)):
            means = ability + more + cls.OWN * random.normal(size=len(ability))
            means[-1] += gained
            values = means[:, None] + 0.15 * random.normal(size=60) + 0.15 * random.normal(size=(len(ability), 60))
            made.append(Month(values, np.array([*range(cls.ANCHORS), cls.ANCHORS + len(made)])))
        return made[0], made[1]


def metric_pairs(random: Random, effect: float) -> bool:
    """Simulate a metric for which all texts of an article are alike; the effect lowers another article's text."""
    values = random.normal(size=(PROMPTS, 1)) + random.normal(size=(PROMPTS, len(RUNGS)))
    values[:, list(RUNGS).index(OTHER)] -= effect
    found = texts_apart.pairs_of([texts_apart.Scored("m", "e", "higher", values)])
    return any(one.verdict in (texts_apart.RIGHT, texts_apart.WRONG, "higher", "lower") for one in found)
