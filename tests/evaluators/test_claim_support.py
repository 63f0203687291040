"""The metrics of claims: shares by hand, in which sentences, by which evidence, and what is lacking for them."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evaluators.analysis import Analyst
from evaluators.claim_support import claims_article, claims_wiki, with_pair_scorer
from evaluators.claims.checking import ClaimChecker, by_article
from evaluators.claims.pair_classifier import Pair, Shares, load_pair_classifier
from evaluators.claims.pair_scorer import read_pair_scorer
from evaluators.scoring import fingerprint, reads_article, select
from flows.settings_in_force import settings_in_force
from newwiki.errors import TerminalError
from newwiki.records import Unscorable
from newwiki.registry import makers
from newwiki.settings import Settings
from tests.evaluators.claims.indexed import index_of
from tests.evaluators.handmade import judge


@dataclass(frozen=True)
class Source:
    title: str
    first_sentence: str
    completion: str


BRIDGE = Source("Bridge", "The bridge is a good bridge.", "Its river is bad. The town stands. Anna Berg came in 1901.")


@pytest.fixture(scope="module")
def scorer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return judge(tmp_path_factory.mktemp("judge"))


@pytest.fixture(scope="module")
def checker(scorer: Path) -> ClaimChecker:
    return by_article("claims_article", load_pair_classifier(read_pair_scorer(str(scorer))))


def verdicts(checker: ClaimChecker, text: str, article: Source = BRIDGE) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = checker.make_beside([article], [text], checker.parts)["claims_article"][0]
    return made


def shares(checker: ClaimChecker, text: str, article: Source = BRIDGE) -> Any:
    [analysis] = Analyst(checker).analyse([text], {"claims_article"}, [""], articles=[article])
    return claims_article(analysis, analysis)


@pytest.mark.by_hand("claims_article_supported", "claims_article_refuted", "claims_article_not_enough_info")
def test_shares_by_hand(checker: ClaimChecker) -> None:
    # A bridge: beside the first sentence it is good. A river: beside "Its river is bad" that is bad. Anna: as good as
    # bad. Of whom the article has no word: no evidence. And 52 words are not checked.
    text = f"A bridge is old. That river is wide. Anna left. Zebras! A bridge {'is ' * 50}old."
    assert [(one["label"], one["checkable"]) for one in verdicts(checker, text)] == [
        ("supported", True),
        ("refuted", True),
        ("not enough info", True),
        ("not enough info", True),
        ("not enough info", False),
    ]
    assert shares(checker, text) == {
        "claims_article_supported": 1 / 5,
        "claims_article_refuted": 1 / 5,
        "claims_article_not_enough_info": 3 / 5,
    }


@pytest.mark.by_hand("claims_wiki_supported", "claims_wiki_refuted", "claims_wiki_not_enough_info")
def test_shares_by_an_index_by_hand(scorer: Path, tmp_path: Path) -> None:
    folder = index_of(tmp_path, {"Bridge": "The bridge is good.", "Anna Berg": "Anna Berg is bad. Anna Berg stands."})
    maker = makers.get("claims_wiki").load(Settings(pair_scorer=str(scorer), evidence=str(folder)))
    text = "A bridge is old. Anna Berg came. Zebras ran. Anna Berg left."
    [analysis] = Analyst(maker).analyse([text], {"claims_wiki"}, [""], articles=[BRIDGE])
    assert claims_wiki(analysis, analysis) == {
        "claims_wiki_supported": 1 / 4,
        "claims_wiki_refuted": 2 / 4,
        "claims_wiki_not_enough_info": 1 / 4,
    }
    assert [one["evidence_title"] for one in analysis.part("claims_wiki")] == ["Bridge", "Anna Berg", None, "Anna Berg"]


def test_the_evidence_that_decided_is_kept_with_its_place_and_shares(checker: ClaimChecker) -> None:
    [one] = verdicts(checker, "  That river is wide.")
    place = {"sentence": 0, "start_char": 2, "end_char": 21, "claim": "That river is wide.", "checkable": True}
    evidence = {"evidence_title": "Bridge", "evidence_sentence": 1, "evidence": "Its river is bad."}
    told = {name: one[name] for name in ("supported", "refuted", "not_enough_info")}
    assert one == place | {"label": "refuted"} | evidence | told | {"evidence_cut": False}
    assert told["refuted"] == max(told.values()) == pytest.approx(0.878878, abs=1e-6)  # e³ / (e³ + e + e⁻³)
    assert sum(told.values()) == pytest.approx(1)


def test_what_is_checked_names_the_subject(checker: ClaimChecker) -> None:
    [one] = verdicts(checker, "It stands.")
    assert (one["claim"], one["label"], one["evidence_sentence"]) == ("Bridge stands.", "supported", 0)


@pytest.mark.parametrize("text", ["", " \n ", "... !?"])
def test_a_text_without_a_sentence_has_no_score(checker: ClaimChecker, text: str) -> None:
    assert shares(checker, text) == Unscorable("no sentences")


def test_an_article_without_a_word_has_no_evidence(checker: ClaimChecker) -> None:
    assert shares(checker, "It stands.", Source("", "", ""))["claims_article_not_enough_info"] == 1


def test_a_claim_that_fills_the_window_is_not_checkable(tmp_path: Path) -> None:
    checker = by_article("claims_article", load_pair_classifier(read_pair_scorer(str(judge(tmp_path, context=8)))))
    # 8 tokens hold [CLS], two [SEP], a word of evidence, and 4 words
    [one] = verdicts(checker, "Good bridge stands in town")
    assert (one["checkable"], one["label"]) == (False, "not enough info")
    [one] = verdicts(checker, "Good bridge stands here")
    assert (one["checkable"], one["evidence_cut"]) == (True, True)


def test_a_text_has_the_same_verdicts_alone_and_in_company(checker: ClaimChecker) -> None:
    texts = ["A bridge is old. That river is wide.", "", "That river is wide. It stands.", "Anna stands. " * 9]
    together = checker.make_beside([BRIDGE] * 4, texts, checker.parts)["claims_article"]
    assert together == [verdicts(checker, text) for text in texts]


def test_what_an_earlier_text_has_asked_is_not_asked_again(scorer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    classifier = load_pair_classifier(read_pair_scorer(str(scorer)))
    checker, asked, shares_of = by_article("claims_article", classifier), [], classifier.shares

    def counted(pairs: Sequence[Pair]) -> list[Shares]:
        asked.append(len(pairs))
        return shares_of(pairs)

    monkeypatch.setattr(classifier, "shares", counted)
    first = verdicts(checker, "That river is wide.")
    again = verdicts(checker, "That river is wide. It stands.")
    assert again[:1] == first
    assert asked == [2, 2]  # each has two sentences of the article to it
    monkeypatch.setattr("evaluators.claims.checking._KNOWN", 3)
    assert verdicts(checker, "That river is wide. It stands.") == again
    assert verdicts(checker, "That river is wide. It stands.") == again  # also where not all were remembered


def test_the_fingerprint_has_the_scorer_and_the_evidence(scorer: Path, tmp_path: Path, checker: ClaimChecker) -> None:
    [_, wiki] = select("claims")

    def of_index(pages: dict[str, str], name: str) -> str:
        folder = index_of(tmp_path / name, pages)
        maker = makers.get("claims_wiki").load(Settings(pair_scorer=str(scorer), evidence=str(folder)))
        return fingerprint(wiki, Analyst(maker)).evaluator_id

    one = of_index({"Bridge": "It is good."}, "a")
    assert one == of_index({"Bridge": "It is good."}, "b")
    assert one != of_index({"Bridge": "It is bad."}, "c")
    made = fingerprint(select("claims")[0], Analyst(checker))
    assert (made.model, made.parameters["evidence"], made.parameters["first"]) == ("judge", "article", "evidence")
    assert {"spacy", "transformers"} <= made.dependencies.keys()


def test_claims_are_asked_for_together_and_look_at_the_article() -> None:
    assert [one.name for one in select("claims")] == ["claims_article", "claims_wiki"]
    assert [one.name for one in select("claims_article_refuted,claims")] == ["claims_article", "claims_wiki"]
    assert all(one.costly and reads_article(one) for one in select("claims"))


def test_the_index_must_be_named(scorer: Path) -> None:
    with pytest.raises(TerminalError, match="claims_wiki: no evidence index is set; build one with `newwiki"):
        makers.get("claims_wiki").load(Settings(pair_scorer=str(scorer)))


def test_a_model_that_cannot_be_had_is_told_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(TerminalError, match=r"pair scorer of claims: .*DeBERTa.*another with --pair-scorer FILE.toml"):
        makers.get("claims_article").load(Settings())


def test_what_is_at_hand_can_be_loaded(scorer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    mine = Settings(pair_scorer=str(scorer))
    assert makers.get("claims_article").at_hand(mine)
    assert not makers.get("claims_article").at_hand(Settings())
    assert not makers.get("claims_wiki").at_hand(mine)
    shutil.copytree(scorer.parent, tmp_path / "copy")
    both = Settings(pair_scorer=str(scorer), evidence=str(tmp_path))
    assert makers.get("claims_wiki").at_hand(both)


def test_the_catalogue_says_whose_verdicts_the_metrics_count_and_the_registry_of_all_scorers_does_not(
    scorer: Path,
) -> None:
    metric = select("claims")[0].metrics[0]
    told = with_pair_scorer(str(scorer), metric)
    assert told.source.endswith("; by a pair scorer of the user's own")
    assert told.pitfalls.endswith("; the pair scorer: it counts words")
    settings_in_force(None, pair_scorer=str(scorer))
    assert select("claims")[0].metrics[0] == metric, "one database holds what several pair scorers say"
