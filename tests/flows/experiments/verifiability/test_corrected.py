"""The checker's numbers corrected by what people say of a sample of sentences, and the way of these labels."""

import csv
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from evaluators.claims.claim import Label
from evaluators.claims.verifiability import CheckedSentence, support
from flows.api import experiment, query
from flows.cli import cli
from flows.experiments.verifiability.corrected import checkers, corrections, labels_of
from flows.experiments.verifiability.result_tables import VerifiabilityCorrection
from flows.experiments.verifiability.texts import SentencePlace, Texts
from newwiki.errors import UsageError
from newwiki.judging.claim_label import ClaimLabel, LabelledSentence
from storage import claim_labels
from storage.database import Database
from tests.evaluators.handmade import judge
from tests.evaluators.simulations import loaded
from tests.flows.experiments.invented import publish_month
from tests.flows.experiments.verifiability.test_verifiability import ARTICLES, ASKED

simulated = loaded("corrected_claims")
SAID: tuple[Label, ...] = ("supported", "refuted", "not enough info", "supported", "not enough info")
OF_PEOPLE: dict[Label, ClaimLabel] = {"supported": "supported", "refuted": "refuted", "not enough info": "neither"}


def texts(prompts: int, said: Sequence[Label] = SAID, seed: int = 0) -> Texts:
    """A text a prompt, whose sentences the checker calls so, in a drawn order; the fourth has the first's evidence."""
    random = np.random.default_rng(seed)
    orders = {(page, 0): [said[place] for place in random.permutation(len(said))] for page in range(prompts)}
    checked = {
        key: [CheckedSentence(label=one, evidence=("Page", 1 if one == "supported" else place))
              for place, one in enumerate(order)] for key, order in orders.items()
    }  # fmt: skip
    places = {
        key: [
            SentencePlace(10 * at, 10 * at + 9, one.label, one.label == "not enough info" or one not in of_text[:at])
            for at, one in enumerate(of_text)
        ]
        for key, of_text in checked.items()
    }
    return Texts("toy", "greedy", {key: support(one) for key, one in checked.items()}, {}, {}, places)


def labelled(texts: Texts, number: int, wrong: dict[Label, ClaimLabel], person: str = "Ada") -> list[LabelledSentence]:
    """A drawn sentence of each of the first prompts, called what `wrong` has for what the checker says."""
    random = np.random.default_rng(1)
    found = []
    for (page, sample), of_text in [*texts.sentences.items()][:number]:
        one = of_text[int(random.integers(len(of_text)))]
        found.append(
            LabelledSentence(
                run_id="r", page_id=page, sample=sample, start_char=one.start_char, end_char=one.end_char, judge=person,
                label=wrong.get(one.label, OF_PEOPLE[one.label]), labelled_at=datetime(2026, 11, 1, tzinfo=UTC),
            )
        )  # fmt: skip
    return found


def corrected(texts: Texts, labels: Sequence[LabelledSentence]) -> dict[str, VerifiabilityCorrection]:
    return {one.metric: one for one in corrections([labels_of(texts, labels)])}


def test_people_who_say_what_the_checker_says_change_nothing() -> None:
    found = texts(400)
    by_metric = corrected(found, labelled(found, 200, {}))
    assert {name: one.uncorrected for name, one in by_metric.items()} == pytest.approx(
        {"spg": 0.4, "spv": 2 / 3, "uspg": 0.2, "uspv": 0.5}
    )
    for one in by_metric.values():
        assert one.corrected == pytest.approx(one.uncorrected, abs=0.06)
        assert one.low is not None and one.high is not None and one.low < (one.uncorrected or 0) < one.high
    checks = checkers([labels_of(found, labelled(found, 200, {}))])
    assert [(one.precision, one.recall) for one in checks] == [(1.0, 1.0), (1.0, 1.0)]


def test_what_the_checker_misses_is_added_with_its_recall() -> None:
    """People call supported what the checker finds no evidence for: four of five sentences are, and not two."""
    found = texts(600)
    labels = labelled(found, 300, {"not enough info": "supported"})
    by_metric = corrected(found, labels)
    spg, spv = by_metric["spg"], by_metric["spv"]
    assert spg.low is not None and spg.high is not None and spg.low < 0.8 < spg.high and spg.high - spg.low < 0.15
    assert spv.low is not None and spv.high is not None and spv.low < 0.8 < spv.high
    assert (spg.labelled, spg.prompts) == (300, 600)
    supported, refuted = checkers([labels_of(found, labels)])
    assert supported.precision == 1 and supported.recall == pytest.approx(0.5, abs=0.1)
    assert refuted.recall == 1 and refuted.recall_low is not None and refuted.recall_low < 1


def test_short_texts_are_divided_by_five_for_people_too() -> None:
    found = texts(400, ("not enough info", "not enough info"))
    spg = corrected(found, labelled(found, 200, {"not enough info": "supported"}))["spg"]
    assert spg.uncorrected == 0 and spg.corrected == pytest.approx(0.4)


def test_people_who_differ_count_by_their_share() -> None:
    found = texts(60)
    both = [*labelled(found, 30, {}), *labelled(found, 30, {"supported": "refuted"}, "Bob")]
    supported, refuted = checkers([labels_of(found, both)])
    assert supported.precision == 0.5 and refuted.precision == 1
    assert supported.recall is None  # of none do most people say so


def test_few_labels_correct_nothing_and_say_why() -> None:
    found = texts(60)
    assert {(one.corrected, one.lacking) for one in corrected(found, labelled(found, 12, {})).values()} == {
        (None, "too few prompts")
    }
    everyone = corrected(found, labelled(found, 60, {}))
    assert everyone["spg"].lacking == "every prompt is labelled"
    none = corrected(found, labelled(found, 30, {"supported": "neither", "refuted": "neither"}))
    assert none["spv"].lacking == "people verified no sentence" and none["spg"].lacking is None


@pytest.mark.parametrize("case", simulated.CHECKERS, ids=lambda case: f"{case.words} {case.labelled}")
def test_of_100_corrected_intervals_93_or_more_hold_the_truth(case: Any) -> None:
    for metric, (checker, _, found) in simulated.covered(case, 250).items():
        assert found >= 0.93 - 0.03, metric
        if case.words != "a good one":
            assert checker < 0.5, metric


@pytest.fixture(scope="module")
def asked(
    tmp_path_factory: pytest.TempPathFactory, toy_checkpoint: Path
) -> tuple[Path, tuple[Any, ...], dict[str, Any]]:
    """A database with an answer, and how it was asked."""
    folder = tmp_path_factory.mktemp("claims")
    publish_month(Database(folder / "newwiki.duckdb"), "2026-08", ARTICLES, 1)
    scorer = judge(tmp_path_factory.mktemp("judge"))
    how = {**ASKED, "decoder": ("greedy", "sample:top_k=2"), "quiet": True, "pair_scorer": str(scorer)}
    experiment("verifiability", str(toy_checkpoint), db=folder / "newwiki.duckdb", **how)
    return folder / "newwiki.duckdb", ("verifiability", str(toy_checkpoint)), how


def judged(db: Path, *arguments: str | Path) -> Any:
    given = ["judge", "--claims", "greedy", "sample:top_k=2", "--db", db, "--judge", "batch", *arguments]
    return CliRunner().invoke(cli, [*map(str, given)], catch_exceptions=False)


def filled(path: Path, label: str, target: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "label": label, "annotator": "w1"} for row in rows)
    return rows


def test_labels_go_out_blind_come_back_and_correct_the_same_question(asked: Any, tmp_path: Path) -> None:
    db = Path(shutil.copy(asked[0], tmp_path / "newwiki.duckdb"))
    out = judged(db, "--export", tmp_path / "claims.csv")
    assert out.exit_code == 0, out.output
    rows = filled(tmp_path / "claims.csv", "Supported", tmp_path / "back.csv")
    assert len(rows) == 4  # two prompts under two decoders
    text = (tmp_path / "claims.csv").read_text("utf-8")
    assert not any(told in text for told in ("greedy", "top_k", "supported,", "Page 1"))
    by_id = {run["run_id"] for run in query("from runs", db=db).to_pylist()}
    assert not any(run_id in text for run_id in by_id)
    back = judged(db, "--import", tmp_path / "back.csv")
    assert back.exit_code == 0 and "4 answers by 1 judge stored" in back.output
    assert judged(db, "--import", tmp_path / "back.csv").exit_code == 0
    stored = claim_labels.labels_of(Database(db), sorted(by_id))
    assert [(one.judge, one.label) for one in stored] == [("batch/w1", "supported")] * 4
    before = query("from experiments", db=db).num_rows
    experiment(*asked[1], db=db, **asked[2])
    assert query("from experiments", db=db).num_rows == before + 1
    found = query("from verifiability_corrections where metric = 'spg'", db=db).to_pylist()
    assert [(one["labelled"], one["lacking"]) for one in found] == [(2, "too few prompts")] * 2
    [supported] = query("from verifiability_checkers where label = 'supported'", db=db).to_pylist()
    assert supported["labelled"] == 4 and supported["by_people"] == 4.0


def test_a_file_with_anything_wrong_is_refused_whole(asked: Any, tmp_path: Path) -> None:
    db = Path(shutil.copy(asked[0], tmp_path / "newwiki.duckdb"))
    assert judged(db, "--export", tmp_path / "claims.csv").exit_code == 0
    filled(tmp_path / "claims.csv", "maybe", tmp_path / "back.csv")
    with pytest.raises(UsageError, match=r"line 2: label is 'maybe'; write supported, refuted or neither"):
        _import(db, tmp_path / "back.csv", "batch")
    filled(tmp_path / "claims.csv", "refuted", tmp_path / "back.csv")
    with pytest.raises(UsageError, match="is no sentence of these runs in the batch 'other'"):
        _import(db, tmp_path / "back.csv", "other")
    assert query("from claim_labels", db=db).num_rows == 0


def test_what_is_for_pairs_is_refused_beside_claims(asked: Any, tmp_path: Path) -> None:
    for option, value in (("--pairs", "3"), ("--model", "m"), ("--out", str(tmp_path / "page.html"))):
        with pytest.raises(UsageError, match=f"{option} applies to pairs of texts"):
            judged(asked[0], "--export", tmp_path / "claims.csv", option, value)


def _import(db: Path, path: Path, batch: str) -> None:
    from flows.judging.claims import draw, import_labels

    database = Database(db)
    import_labels(database, draw(database, ["greedy", "sample:top_k=2"]), batch, path)
