"""A toy pair classifier: which pairs it is trained on, and that it is a checkpoint and a pair scorer like any other."""

from collections import Counter
from pathlib import Path

import pytest

from evaluators.claims.pair_scorer import read_pair_scorer
from newwiki.models.checkpoint import Checkpoint, Trust
from newwiki.sample import toy_nli
from newwiki.sample.toy_nli import LABELS, Pair, Sentence, pairs

HALMECK = [
    Sentence(
        "It was burnt in 1711, and rebuilt by Jonas Wrede.", "Halmeck was burnt in 1711, and rebuilt by Jonas Wrede."
    ),
    Sentence("It has two bridges over the Arve.", "Halmeck has two bridges over the Arve."),
]
MOTH = [Sentence("The moth was found in 1866 by Edda Vane.", "Jade moth was found in 1866 by Edda Vane.")]


@pytest.fixture(scope="module")
def made() -> list[Pair]:
    return pairs([HALMECK, MOTH], seed=0, rounds=40)


def of(label: str, made: list[Pair]) -> list[Pair]:
    return [one for one in made if one.label == label]


def test_each_sentence_gives_a_pair_of_each_label(made: list[Pair]) -> None:
    found = Counter(one.label for one in made)
    assert set(found) == set(LABELS)
    assert found["supported"] == found["not enough info"] == 3 * 40
    assert found["refuted"] > 60  # not every shortened claim has a fact


def test_what_is_supported_is_the_sentence_or_parts_of_it(made: list[Pair]) -> None:
    for one in of("supported", made):
        assert set(one.claim.lower().replace(",", "").removesuffix(".").split()) <= {
            *one.evidence.lower().replace(",", "").removesuffix(".").split(), "halmeck", "jade",
        }  # fmt: skip


def test_what_is_refuted_has_a_fact_that_the_evidence_has_not(made: list[Pair]) -> None:
    told = " ".join(one.claim for one in of("refuted", made) if "Halmeck" in one.claim)
    assert "1866" in told
    assert "Edda Vane" in told
    for one in of("refuted", made):
        assert set(one.claim.rstrip(".").replace(",", "").split()) - set(
            one.evidence.rstrip(".").replace(",", "").split()
        )


def test_not_enough_info_is_another_sentence(made: list[Pair]) -> None:
    texts = {text: one for article in (HALMECK, MOTH) for one in article for text in (one.text, one.claim)}
    for one in of("not enough info", made):
        assert not one.claim.startswith(texts[one.evidence].claim[:20])


def test_the_same_articles_give_the_same_pairs(made: list[Pair]) -> None:
    assert pairs([HALMECK, MOTH], seed=0, rounds=40) == made
    assert pairs([HALMECK, MOTH], seed=1, rounds=40) != made


@pytest.mark.slow
def test_what_it_leaves_is_a_checkpoint_with_the_file_of_a_pair_scorer(made: list[Pair], tmp_path: Path) -> None:
    for name in ("a", "b"):
        toy_nli.train(made, tmp_path / name, steps=1)
    scorer = read_pair_scorer(str(tmp_path / "a" / toy_nli.SCORER_FILE))
    assert scorer.place == str(tmp_path / "a" / ".")
    shas = [Checkpoint(tmp_path / name, Trust()).sha256 for name in ("a", "b")]
    assert shas[0] == shas[1]


@pytest.mark.slow
def test_the_folder_appears_only_when_it_is_complete(made: list[Pair], tmp_path: Path) -> None:
    def interrupt(step: int, steps: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        toy_nli.train(made, tmp_path / "nli", steps=2, report=interrupt)
    assert not list(tmp_path.iterdir())
