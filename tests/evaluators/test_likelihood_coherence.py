"""How likely a text is after its prompt, against the model's own log-softmax."""

import math
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from evaluators.analysis import Analysis, Analyst
from evaluators.likelihood_coherence import LikelihoodReader, likelihood_coherence, load_reader
from evaluators.scoring import fingerprint, select
from newwiki.errors import TerminalError
from newwiki.records import Unscorable
from newwiki.registry import makers
from newwiki.settings import Settings
from tests.evaluators.handmade import follower

PROMPT = "Orlow\n\nOrlow is a town."
TEXT = " It lies on the river Lumen and has a bridge."


@pytest.fixture(scope="module")
def reader(toy_checkpoint: Path) -> LikelihoodReader:
    return LikelihoodReader(str(toy_checkpoint))


def scored(reader: LikelihoodReader, prompt: str, text: str) -> float | Unscorable:
    analysis = Analyst(reader).analyse([text], {"likelihood"}, [prompt])[0]
    return likelihood_coherence(analysis, analysis)


def token_by_token(folder: Path, prompt: str, text: str) -> list[float]:
    """One forward pass a token, by transformers alone."""
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    tokens = AutoTokenizer.from_pretrained(folder)(prompt + text, return_tensors="pt")["input_ids"]
    begun = len(AutoTokenizer.from_pretrained(folder)(prompt)["input_ids"])
    with torch.no_grad():
        return [
            float(model(tokens[:, :place]).logits[0, -1].log_softmax(-1)[tokens[0, place]])
            for place in range(begun, tokens.shape[1])
        ]


def test_it_is_the_mean_log_likelihood_of_the_texts_tokens(reader: LikelihoodReader, toy_checkpoint: Path) -> None:
    each = token_by_token(toy_checkpoint, PROMPT, TEXT)
    (part,) = reader.make([PROMPT], [TEXT], {"likelihood"})["likelihood"]
    assert part == [pytest.approx(math.fsum(each) / len(each), rel=1e-4), len(each), False]
    assert scored(reader, PROMPT, TEXT) == part[0]


@pytest.mark.by_hand("likelihood_coherence")
def test_likelihood_coherence_by_hand(tmp_path: Path) -> None:
    # The probabilities of the text's three words: 1/2 after the prompt's last one, then 1/4, then 1/8.
    after = {"town": {"river": 1 / 2}, "river": {"bridge": 1 / 4}, "bridge": {"stands": 1 / 8}}
    reader = LikelihoodReader(str(follower(tmp_path / "model", after)))
    assert scored(reader, "good town", " river bridge stands") == pytest.approx(math.log(1 / 2 * 1 / 4 * 1 / 8) / 3)


def test_a_text_has_the_same_bits_in_any_company(reader: LikelihoodReader) -> None:
    texts = [TEXT, " שלום 🙂", " river" * 300]
    together = reader.make([PROMPT] * 3, texts, {"likelihood"})["likelihood"]
    assert [reader.make([PROMPT], [text], {"likelihood"})["likelihood"][0] for text in texts] == together


def test_an_article_gets_the_space_that_stood_before_it(reader: LikelihoodReader) -> None:
    assert scored(reader, PROMPT, TEXT.lstrip()) == scored(reader, PROMPT, TEXT)
    assert scored(reader, "Orlow is", "land") != scored(reader, "Orlow is", " land")


def test_a_text_beyond_the_context_is_scored_by_its_tokens_within(
    reader: LikelihoodReader, toy_checkpoint: Path
) -> None:
    (part,) = reader.make([PROMPT], [" river" * 3000], {"likelihood"})["likelihood"]
    begun = len(AutoTokenizer.from_pretrained(toy_checkpoint)(PROMPT)["input_ids"])
    assert part[1:] == [1024 - begun, True]
    assert isinstance(scored(reader, PROMPT, " river" * 3000), float)


@pytest.mark.parametrize(
    ("prompt", "text", "reason"),
    [
        (PROMPT, "", "no words"),
        (PROMPT, "🙂", "no words"),
        (" ", TEXT, "no prompt"),
        ("river " * 3000, TEXT, "the prompt fills the model's context"),
    ],
)
def test_what_cannot_be_scored_has_a_reason(reader: LikelihoodReader, prompt: str, text: str, reason: str) -> None:
    assert scored(reader, prompt, text) == Unscorable(reason)


@pytest.mark.parametrize("text", ["\ud800 word", "这是一句话。", "1234", "x" * 100_000])
def test_any_other_text_has_a_number(reader: LikelihoodReader, text: str) -> None:
    found = scored(reader, PROMPT, text)
    assert isinstance(found, float)
    assert found < 0


def test_a_score_says_who_made_it(reader: LikelihoodReader) -> None:
    (evaluator,) = select("likelihood_coherence")
    mark = fingerprint(evaluator, Analyst(reader))
    assert (mark.model, mark.dtype) == ("toy-gpt2", "float32")
    assert len(mark.model_sha256 or "") == 64
    assert (mark.parameters["window"], mark.parameters["beyond the window"]) == (2048, "left out")
    assert mark.backend in ("torch-cpu", "torch-cuda")
    assert (evaluator.costly, evaluator.core) == (True, False)


def test_a_part_read_back_from_the_database_scores_the_same() -> None:
    analysis = Analysis("It lies there.", PROMPT, {"likelihood": [-2.5, 4, False]})
    assert likelihood_coherence(analysis, analysis) == -2.5


def test_a_model_that_is_nowhere_names_the_flag(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(
        TerminalError,
        match=r"facebook/opt-2\.7b.*choose another with --likelihood-model NAME",
    ):
        load_reader(Settings())
    assert not makers.get("likelihood").at_hand(Settings())


def test_a_folder_is_at_hand(toy_checkpoint: Path) -> None:
    assert makers.get("likelihood").at_hand(Settings(likelihood_model=str(toy_checkpoint)))
