"""What is said of groups is that of a plain computation from the stored texts."""

import hashlib
import itertools
import math
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

from evaluators.analysis import Analysis
from flows.experiments.fairness import swapping
from flows.experiments.fairness.result_tables import AdvantageChange, DiversityCorrelation, FairnessSwap, GroupDisparity
from newwiki.records import Completion, Metric, Prompt
from newwiki.registry import evaluator, evaluators, models
from newwiki.settings import Settings
from storage import experiments
from storage.database import Database
from tests.flows.experiments import recomputed
from tests.flows.experiments.fairness import recomputed as again
from tests.flows.experiments.fairness.scripted import PLACES, SAMPLES, SETTINGS, Scripted, ask
from tests.flows.experiments.stored import rows as stored

METRIC = "begins_badly"
SWAPPED, PERCENT = 60, (0, 40)  # sentences, and how many of their words
# Of 100 texts how many begin badly, by setting
CHANCES: Mapping[str, tuple[int, int, int]] = {
    "Man": (15, 45, 75), "Woman": (75, 50, 25), "Black": (50, 50, 50), "White": (5, 30, 45), "Asian": (40, 60, 55),
}  # fmt: skip


class Varied(Scripted):
    """A model whose texts vary from prompt to prompt, and more with each setting."""

    name, sha256 = "varied", "7" * 64

    def one(self, prompt: Prompt, sample: int, setting: int) -> Completion:
        place, group = PLACES[prompt.text]
        digest = hashlib.sha256(f"{group} {place} {sample} {setting}".encode()).digest()
        first = "bad" if digest[0] % 100 < CHANCES[group][setting] else "good"
        text = f" {first} river bridge{digest[1] % (setting + 2)} town{digest[2] % (2 * setting + 1)}. Bad town."
        return Completion(prompt.page_id, sample, text, 8, 6, "length", truncated=True)


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    """The model, and a metric of which the order of words decides."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluators, "_pieces", dict(evaluators.all()))
        patch.setattr(models, "_pieces", {**models.all(), "varied": Varied})
        patch.setattr(swapping, "PERCENT", PERCENT)  # fewer, as each repetition is stored by itself
        declared = Metric(METRIC, "share of texts", 0.0, 1.0, "none", "whether a text begins with bad", "a test")

        @evaluator(metrics=[declared], version="1", alone=True)
        def begins_badly(analysis: Analysis, reference: Analysis) -> float:
            return float(analysis.text.split()[0].strip(".").lower() == "bad")

        yield


@pytest.fixture(scope="module")
def asked(published: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Database, str]:
    folder = tmp_path_factory.mktemp("varied")
    (folder / "demographics.txt").write_text(
        "The man\nThe woman\nThe Black person\nThe White person\nThe Asian person\n"
    )
    database = Database(Path(shutil.copy(published, folder / "newwiki.duckdb")))
    choices: dict[str, Any] = {"models": ("varied",), "backend": "varied", "metrics": METRIC, "swap_texts": SWAPPED}
    return database, ask(database, folder / "ours.toml", settings=Settings(db=str(database.path)), **choices)


Shares = Mapping[str, Mapping[str, np.ndarray[Any, np.dtype[np.float64]]]]


@pytest.fixture(scope="module")
def texts(asked: tuple[Database, str]) -> list[dict[str, Any]]:
    """Every text with its prompt, its place among the settings, and its first sentence."""
    found = stored(
        asked[0].path,
        "select run_id, page_id, sample, category, group_name, context, text, decoder "
        "from completions join group_prompts using (page_id) join runs using (run_id)",
    )
    for one in found:
        one["setting"] = SETTINGS.index(float(re.findall(r"top_p=([\d.]+)", one["decoder"])[0]))
        one["sentence"] = re.split(r"(?<=[.])\s", one["text"].strip())[0]
    return found


@pytest.fixture(scope="module")
def shares(texts: list[dict[str, Any]]) -> Shares:
    """By category and group the shares of each context's texts that begin with bad, contexts x settings."""
    contexts = sorted({one["context"] for one in texts})
    found: dict[str, dict[str, Any]] = {}
    for one in texts:
        group = found.setdefault(one["category"], {}).setdefault(
            one["group_name"], np.zeros((len(contexts), len(SETTINGS)))
        )
        group[contexts.index(one["context"]), one["setting"]] += one["sentence"].startswith("bad ") / SAMPLES
    return found


@recomputed.recomputes("fairness_disparities")
def test_disparities_are_those_of_the_stored_texts(asked: tuple[Database, str], shares: Shares) -> None:
    rows = experiments.rows(asked[0], GroupDisparity, "fairness_disparities", asked[1])
    assert len(rows) == len(shares) * len(SETTINGS)
    reaches = []
    for row in rows:
        groups = np.stack([one[:, row.place] for one in shares[row.category].values()], axis=1)
        disparity = float(again.disparity(groups.mean(axis=0)))
        assert row.disparity == pytest.approx(disparity)
        expected = again.reach(groups)
        assert row.low is not None and row.high is not None
        reaches.append((row.high - disparity) / expected)
        assert row.low == pytest.approx(max(0.0, 2 * disparity - row.high))
        p = again.dealt_p(groups)
        assert row.p == pytest.approx(p, abs=4 * math.sqrt(2 * p * (1 - p) / 10_000) + 3e-4)
    # Either is by drawing contexts, the product's by 2,000 draws
    assert reaches == pytest.approx([1.0] * len(rows), abs=0.08)
    assert sum(reaches) / len(reaches) == pytest.approx(1.0, abs=0.03)
    assert [row.p_holm for row in rows] == pytest.approx(recomputed.holm([row.p or 0.0 for row in rows]))
    assert {(row.p_holm or 0.0) <= recomputed.LEVEL for row in rows} == {True, False}


@recomputed.recomputes("fairness_changes")
def test_changes_of_the_advantaged_group_are_those_of_the_stored_texts(
    asked: tuple[Database, str], shares: Shares
) -> None:
    """A change is between the last setting before and the first after at which the groups' shares differ."""
    apart = {
        (category, one, other, place): groups[one][:, place] - groups[other][:, place]
        for category, groups in shares.items()
        for one, other in itertools.combinations(groups, 2)
        for place in range(len(SETTINGS))
    }
    p_values = [recomputed.p_of_mean(values.tolist()) for values in apart.values()]
    corrected = dict(zip(apart, recomputed.holm(p_values), strict=True))
    expected = set()
    for category, one, other in dict.fromkeys(key[:3] for key in apart):
        places = [at for at in range(len(SETTINGS)) if abs(apart[category, one, other, at].sum()) > 1e-9]
        better = [other if apart[category, one, other, at].sum() > 0 else one for at in places]
        for at in range(1, len(places)):
            if better[at] != better[at - 1]:
                start = max((n for n in range(1, at) if better[n] != better[n - 1]), default=0)
                end = min((n for n in range(at + 1, len(places)) if better[n] != better[n - 1]), default=len(places))
                stretches = places[start:at], places[at:end]
                shown = all(
                    any(corrected[category, one, other, place] <= recomputed.LEVEL for place in some)
                    for some in stretches
                )
                expected.add(
                    (category, frozenset((one, other)), places[at - 1], places[at], better[at - 1], better[at], shown)
                )
    found = experiments.rows(asked[0], AdvantageChange, "fairness_changes", asked[1])
    assert {
        (row.category, frozenset((row.group_a, row.group_b)), row.from_place, row.to_place, row.advantaged_before,
         row.advantaged_after, row.shown)
        for row in found
    } == expected  # fmt: skip
    assert [row.shown for row in found].count(True) == 1


@recomputed.recomputes("fairness_correlations")
def test_a_correlation_with_diversity_is_that_of_the_stored_texts(
    asked: tuple[Database, str], texts: list[dict[str, Any]], shares: Shares
) -> None:
    """All groups have prompts of the same contexts, which are what varies."""
    entropy = [
        again.trigram_entropy([one["sentence"] for one in texts if one["setting"] == place])
        for place in range(len(SETTINGS))
    ]
    groups = {group: values for of_category in shares.values() for group, values in of_category.items()}
    r, scale, by_context = again.slopes(entropy, groups)
    expected = recomputed.interval(by_context)
    low, high = (min(max(end / scale, -1.0), 1.0) for end in (expected.low, expected.high))
    [row] = experiments.rows(asked[0], DiversityCorrelation, "fairness_correlations", asked[1])
    assert (row.settings, row.correlation) == (len(SETTINGS), pytest.approx(r))
    assert (row.low, row.high) == pytest.approx((low, high))
    assert recomputed.close(row.p or 0.0, recomputed.p_of_mean(by_context))


@recomputed.recomputes("fairness_swaps")
def test_what_swapped_words_do_is_that_of_the_stored_scores(
    asked: tuple[Database, str], texts: list[dict[str, Any]]
) -> None:
    """From what the sentences were scored, with words swapped ten times, and the prompts that they are of."""
    order = sorted(
        texts, key=lambda one: hashlib.sha256(f"{one['run_id']} {one['page_id']} {one['sample']}".encode()).digest()
    )[:SWAPPED]
    scores = stored(
        asked[0].path,
        'select texts_sha256, swapped, "values" from swapped_scores order by swapped, repetition',
    )
    [ours] = {one["texts_sha256"] for one in scores if one["swapped"]}
    by_percent: dict[int, list[list[float]]] = {}
    for one in scores:
        if one["texts_sha256"] == ours:
            by_percent.setdefault(one["swapped"], []).append(one["values"])
    [plain] = by_percent[0]
    assert plain == [float(one["sentence"].startswith("bad ")) for one in order]
    rows = experiments.rows(asked[0], FairnessSwap, "fairness_swaps", asked[1])
    assert [row.swapped for row in rows] == [*PERCENT]
    for row in rows:
        repetitions = [sum(values) / SWAPPED for values in by_percent[row.swapped]]
        count, baseline = len(repetitions), sum(plain) / SWAPPED
        mean = sum(repetitions) / count
        assert row.share == pytest.approx(mean)
        if not row.swapped:
            continue
        deviation = math.sqrt(sum((one - mean) ** 2 for one in repetitions) / (count - 1))
        t = (mean - baseline) / (deviation / math.sqrt(count))
        p = 2 * float(student.sf(abs(t), count - 1))  # Welch's, where one of two samples does not vary
        assert (row.sd, row.p) == pytest.approx((deviation, p))
        by_prompt: dict[int, list[float]] = {}
        for at, one in enumerate(order):
            change = sum(values[at] for values in by_percent[row.swapped]) / count - plain[at]
            by_prompt.setdefault(one["page_id"], []).append(change)
        assert len({len(one) for one in by_prompt.values()}) > 1
        found = (row.difference, row.low, row.high)
        assert found == pytest.approx(recomputed.clustered(list(by_prompt.values())))
        assert (row.prompts, row.texts, row.repetitions) == (len(by_prompt), SWAPPED, count)
