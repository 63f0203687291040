"""Correct the checker's numbers by people's labels of a sample of sentences, and estimate how good the checker is.

The unit is the prompt. For each labeled prompt people have labeled a random sentence, which represents all sentences
of its texts. The checker decides which sentences repeat the fact of an earlier one, because people label one sentence
at a time.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evaluators import statistics
from evaluators.claims.verifiability import SENTENCES
from evaluators.judging.krippendorff import Agreement, alpha
from evaluators.judging.prediction_powered import corrected_ratio
from evaluators.judging.preference import mean_interval
from flows.experiments.verifiability.metrics import SUPPORT
from flows.experiments.verifiability.result_tables import VerifiabilityChecker, VerifiabilityCorrection
from flows.experiments.verifiability.texts import SentencePlace, Texts
from newwiki.judging.claim_label import ClaimLabel, LabelledSentence

Array = NDArray[np.float64]
Place = tuple[int, int, int, int]  # page id, sample, and the start and end of the sentence

NO_VERIFIED = "people verified no sentence"
ALL_LABELLED = "every prompt is labelled"


@dataclass(frozen=True)
class Labels:
    """People's labels for the sentences of one model under one decoder: every person's label, by sentence."""

    texts: Texts
    by_place: Mapping[Place, Sequence[ClaimLabel]]

    def share(self, place: Place, *labels: ClaimLabel) -> float:
        """Return the share of people who gave the sentence one of these labels."""
        votes = self.by_place[place]
        return sum(vote in labels for vote in votes) / len(votes)

    @cached_property
    def checked(self) -> dict[Place, SentencePlace]:
        return {
            (*key, sentence.start_char, sentence.end_char): sentence
            for key, sentences in self.texts.sentences.items()
            for sentence in sentences
        }


def labels_of(texts: Texts, labelled: Sequence[LabelledSentence]) -> Labels:
    """Return the labels of one run, for the sentences that the checker has checked."""
    by_place: dict[Place, list[ClaimLabel]] = {}
    for sentence in labelled:
        by_place.setdefault((sentence.page_id, sentence.sample, sentence.start_char, sentence.end_char), []).append(
            sentence.label
        )
    checked = Labels(texts, {}).checked
    return Labels(texts, {place: votes for place, votes in by_place.items() if place in checked})


def corrections(run_labels: Sequence[Labels]) -> list[VerifiabilityCorrection]:
    """Return a row for each run with labels and each metric."""
    return [_correction(labels, metric) for labels in run_labels if labels.by_place for metric in SUPPORT]


def _correction(labels: Labels, metric: str) -> VerifiabilityCorrection:
    """Correct one metric of one run.

    A prompt's value is the mean over the k places of each of its texts. A labeled sentence represents all places that
    have a sentence. Prompts without any sentence have the value 0 and are not part of the correction.
    """
    texts, ratio, unique = labels.texts, metric in ("spv", "uspv"), metric in ("uspg", "uspv")
    prompts = Counter(page_id for page_id, _ in texts.support)
    by_prompt: dict[int, list[Place]] = {}
    for place in labels.checked:
        by_prompt.setdefault(place[0], []).append(place)
    people, model, alone = list[Array](), list[Array](), list[Array]()
    for page_id, places in by_prompt.items():
        filled = len(places) / (SENTENCES * prompts[page_id])

        def counted(place: Place, supported: float, verified: float, filled: float = filled) -> Array:
            counts = filled * (labels.checked[place].new or not unique)
            return np.array([counts * supported, counts * verified if ratio else 1.0])

        checker = {place: counted(place, *_by_checker(labels.checked[place])) for place in places}
        labelled = [place for place in places if place in labels.by_place]
        if labelled:
            people.append(np.mean([counted(place, *_by_people(labels, place)) for place in labelled], axis=0))
            model.append(np.mean([checker[place] for place in labelled], axis=0))
        else:
            alone.append(np.mean([*checker.values()], axis=0))
    factor = 1.0 if ratio else len(by_prompt) / len(prompts)
    estimate = corrected_ratio(people, model, alone) if people else None
    return VerifiabilityCorrection(
        model=texts.model,
        decoder=texts.decoder,
        metric=metric,
        prompts=len(prompts),
        labelled=len(people),
        uncorrected=_uncorrected(texts, metric),
        corrected=factor * estimate.ratio if estimate else None,
        low=factor * estimate.interval.low if estimate else None,
        high=factor * estimate.interval.high if estimate else None,
        weight=estimate.weight if estimate else None,
        lacking=None if estimate else _lacking(len(people), len(alone)),
    )


def _by_checker(sentence: SentencePlace) -> tuple[float, float]:
    return float(sentence.label == "supported"), float(sentence.verified)


def _by_people(labels: Labels, place: Place) -> tuple[float, float]:
    return labels.share(place, "supported"), labels.share(place, "supported", "refuted")


def _uncorrected(texts: Texts, metric: str) -> float | None:
    """Return the checker's own number, over all texts for SPG and USPG, and over all sentences for SPV and USPV."""
    if metric in ("spg", "uspg"):
        return fmean(getattr(support, metric) for support in texts.support.values())
    counted = [
        sentence for sentences in texts.sentences.values() for sentence in sentences
        if sentence.verified and (sentence.new or metric == "spv")
    ]  # fmt: skip
    return sum(sentence.label == "supported" for sentence in counted) / len(counted) if counted else None


def _lacking(labelled: int, alone: int) -> str:
    if labelled < statistics.FEWEST:
        return statistics.TOO_FEW
    return NO_VERIFIED if alone else ALL_LABELLED


def checkers(run_labels: Sequence[Labels]) -> list[VerifiabilityChecker]:
    """Return a row for each label, or an empty list if no sentence is labeled."""
    places = [(labels, place) for labels in run_labels for place in labels.by_place]
    return [_checker(places, "supported"), _checker(places, "refuted")] if places else []


def _checker(places: Sequence[tuple[Labels, Place]], label: Literal["supported", "refuted"]) -> VerifiabilityChecker:
    people = np.array([labels.share(place, label) for labels, place in places])
    by_checker = np.array([labels.checked[place].label == label for labels, place in places])
    precision, recall = _mean(people[by_checker]), _mean(by_checker[people > 0.5].astype(float))
    return VerifiabilityChecker(
        label=label,
        labelled=len(places),
        by_checker=int(by_checker.sum()),
        by_people=float(people.sum()),
        precision=precision[0],
        precision_low=precision[1],
        precision_high=precision[2],
        recall=recall[0],
        recall_low=recall[1],
        recall_high=recall[2],
    )


def _mean(values: Array) -> tuple[float, float, float] | tuple[None, None, None]:
    if not len(values):
        return None, None, None
    interval = mean_interval(values, 0, 1)
    return float(values.mean()), interval.low, interval.high


def agreement(run_labels: Sequence[Labels]) -> Agreement:
    """Return the agreement of people who labeled the same sentences."""
    return alpha([votes for labels in run_labels for votes in labels.by_place.values()])
