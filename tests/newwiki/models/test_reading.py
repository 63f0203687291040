"""What a model makes of articles that it reads in batches, against a plain loop over `model(input_ids)`."""

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

from newwiki.models.engine import head, likelihood
from newwiki.models.engine.likelihood import read_texts
from newwiki.models.engine.reading_windows import cut
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.models.seq2seq import Seq2SeqModel
from newwiki.records import Passage, Prompt, Reading, Unscorable
from tests import toys

PROMPT = "Orlow\n\nOrlow is a town."
TEXTS = {
    "a sentence": "It lies on the river Lumen and has a bridge.",
    "nothing": "",
    "a word": "Lumen",
    "right to left": "העיר שוכנת על גדות הנהר ויש בה גשר.",
    "emoji": "It has a 🌉 and a 🏰, and 👩‍👩‍👧 live there. 🙂",
    "longer than the context": "The river Lumen has a bridge, and the town has a mill. " * 120,
    "two thousand tokens": "The ferry crosses at dawn; nobody in Skarrow minds. " * 130,
}


@pytest.fixture(scope="module")
def model(toy_checkpoint: Path) -> HuggingFaceModel:
    return HuggingFaceModel(str(toy_checkpoint), device="cpu")


def plainly(folder: Path, whole: str, window: int) -> tuple[list[float], list[float]]:
    """log p of each token but the first, and Min-K%++'s number of it, by transformers alone: a window at a time, each
    half a window later, each token scored where it stands furthest to the left."""
    plain = AutoModelForCausalLM.from_pretrained(folder).eval()
    tokens = torch.tensor(AutoTokenizer.from_pretrained(folder)(whole)["input_ids"])
    found: list[float] = []
    apart: list[float] = []
    start = 0
    while len(found) < len(tokens) - 1:
        read = tokens[start : start + window]
        with torch.no_grad():
            numbers = plain(input_ids=read[None]).logits[0].double().log_softmax(-1)
        for place in range(len(found), min(start + len(read), len(tokens) - 1)):
            of_all = numbers[place - start]
            chosen = of_all[tokens[place + 1]]
            mean = (of_all.exp() * of_all).sum()
            deviation = ((of_all.exp() * of_all.square()).sum() - mean.square()).sqrt()
            found.append(float(chosen))
            apart.append(float((chosen - mean) / deviation))
        start += window // 2
    return found, apart


def whole(reading: Reading) -> tuple[float, ...]:
    assert isinstance(reading.prompt, Passage)
    assert isinstance(reading.rest, Passage)
    return (*reading.prompt.log_probabilities, *reading.rest.log_probabilities)


def test_a_batch_of_articles_has_the_numbers_of_a_plain_loop(model: HuggingFaceModel, toy_checkpoint: Path) -> None:
    readings = model.readings([(Prompt(0, PROMPT), text) for text in TEXTS.values()], standardised=True)
    for (name, text), reading in zip(TEXTS.items(), readings, strict=True):
        joined = f"{PROMPT} {text}" if text else PROMPT
        numbers, apart = plainly(toy_checkpoint, joined, 1024)
        assert isinstance(reading.rest, Passage)
        assert whole(reading) == pytest.approx(numbers, abs=1e-5), name
        of_rest = apart[len(apart) - len(reading.rest.standardised) :]
        assert reading.rest.standardised == pytest.approx(of_rest, abs=2e-5), name
        assert reading.rest.bytes == len(joined.encode()) - len(PROMPT.encode())
    lengths = [len(whole(reading)) for reading in readings]
    assert lengths[-1] > 2_048
    assert lengths[-2] > 1024


def test_without_bos_the_first_token_and_its_bytes_are_not_counted(model: HuggingFaceModel) -> None:
    for prompt in (PROMPT, "🙂\n\nThis is a smile."):
        (reading,) = model.readings([(Prompt(0, prompt), "It is.")], standardised=False)
        tokens = AutoTokenizer.from_pretrained(model.name)(prompt)
        assert isinstance(reading.prompt, Passage)
        assert len(reading.prompt.log_probabilities) == len(tokens["input_ids"]) - 1
        first = tokens.token_to_chars(0)
        assert reading.prompt.bytes == len(prompt[first.end :].encode())


def test_with_bos_every_window_begins_with_it_and_the_whole_prompt_is_counted(
    toy_checkpoint: Path, tmp_path: Path
) -> None:
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    tokenizer.add_special_tokens({"bos_token": "<|endoftext|>"})
    tokenizer.save_pretrained(tmp_path / "with-bos")
    model = HuggingFaceModel(str(toy_checkpoint), device="cpu", bos="yes", tokenizer=str(tmp_path / "with-bos"))
    text = TEXTS["longer than the context"]
    (reading,) = model.readings([(Prompt(0, PROMPT), text)], standardised=False)
    assert isinstance(reading.prompt, Passage)
    assert reading.prompt.bytes == len(PROMPT.encode())
    tokens = tokenizer(f"{PROMPT} {text}")["input_ids"]
    assert len(whole(reading)) == len(tokens)
    plain = AutoModelForCausalLM.from_pretrained(toy_checkpoint).eval()
    begun = [tokenizer.bos_token_id]
    with torch.no_grad():
        first = plain(input_ids=torch.tensor([begun + tokens[:1023]])).logits[0].log_softmax(-1)
        second = plain(input_ids=torch.tensor([begun + tokens[511:1534]])).logits[0].log_softmax(-1)
    assert whole(reading)[:1024] == pytest.approx([float(first[n, tokens[n]]) for n in range(1024)], abs=1e-5)
    later = [float(second[n - 511, tokens[n]]) for n in range(1024, min(1534, len(tokens)))]
    assert whole(reading)[1024 : 1024 + len(later)] == pytest.approx(later, abs=1e-5)


@given(st.integers(1, 60), st.integers(3, 20), st.booleans())
def test_every_token_but_the_first_is_scored_once_and_with_half_a_window_before_it(
    length: int, size: int, bos: bool
) -> None:
    tokens = list(range(length))
    seen: list[int] = []
    for number, window in enumerate(cut(tokens, size, bos=bos)):
        assert len(window.inputs) <= size
        assert window.inputs[0] == 0 or not bos
        for place in range(window.scored):
            target = window.target + place
            assert window.inputs[window.first + place] == target - 1, "the token before it is the last that is read"
            assert number == 0 or window.first + place + 1 > size // 2
            seen.append(target)
    assert seen == list(range(1, length))


def test_the_same_articles_have_the_same_bits_each_time_and_others_move_them_by_rounding(
    model: HuggingFaceModel,
) -> None:
    pairs = [(Prompt(0, PROMPT), text) for text in TEXTS.values()]
    once = model.readings(pairs, standardised=True)
    assert once == model.readings(pairs, standardised=True)
    alone = [model.readings([pair], standardised=False)[0] for pair in pairs]
    for one, other in zip(once, alone, strict=True):
        assert whole(one) == pytest.approx(whole(other), abs=1e-5)


def test_no_logits_of_a_whole_batch_stand_in_memory(model: HuggingFaceModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound far below what this text takes, kept by the tokens that the last layer is asked for at a time."""
    asked: list[int] = []
    honest = head.logits_of

    def counted(model: object, states: torch.Tensor, output: type) -> torch.Tensor | None:
        asked.append(states.shape[1])
        return honest(model, states, output)

    monkeypatch.setattr(likelihood, "logits_of", counted)
    monkeypatch.setattr(likelihood, "_LOGITS", 40 * 1024)
    (reading,) = model.readings([(Prompt(0, PROMPT), TEXTS["longer than the context"])], standardised=False)
    assert sum(asked) == len(whole(reading))
    assert max(asked) == 40


def test_a_model_that_gives_other_numbers_in_batches_is_refused(model: HuggingFaceModel) -> None:
    from newwiki.errors import TerminalError

    broken = HuggingFaceModel(model.name, device="cpu")._model
    embed = broken.transformer.wte.forward
    broken.transformer.wte.forward = lambda ids: embed(ids) + embed(ids).mean(dim=0, keepdim=True)
    with pytest.raises(TerminalError, match="differently in a batch than alone"):
        likelihood.check_likelihoods(broken)
    assert read_texts(model._model, [], 8, bos=False) == []


@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_an_encoder_decoder_reads_the_rest_after_its_prompt(kind: str, toy_checkpoint: Path, tmp_path: Path) -> None:
    folder = toys.write_toy(kind, toy_checkpoint, tmp_path / kind)
    model = Seq2SeqModel(str(folder), device="cpu")
    text, endless = TEXTS["a sentence"], TEXTS["two thousand tokens"]
    short, empty, long = model.readings(
        [(Prompt(0, PROMPT), text), (Prompt(0, PROMPT), ""), (Prompt(0, PROMPT), endless)], standardised=True
    )
    plain = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokens = tokenizer(text, add_special_tokens=False, return_tensors="pt")["input_ids"]
    begun = torch.tensor([[plain.config.decoder_start_token_id]])
    with torch.no_grad():
        numbers = (
            plain(**tokenizer(PROMPT, return_tensors="pt"), decoder_input_ids=torch.cat([begun, tokens[:, :-1]], dim=1))
            .logits[0]
            .log_softmax(-1)
        )
    assert isinstance(short.rest, Passage)
    expected = numbers.gather(1, tokens[0, :, None])[:, 0].tolist()
    assert short.rest.log_probabilities == pytest.approx(expected, abs=1e-5)
    assert short.rest.bytes == len(text.encode())
    assert len(short.rest.standardised) == len(expected)
    assert empty.rest == Passage((), 0)
    assert isinstance(long.rest, Unscorable)
    assert "tokens that the decoder reads" in long.rest.reason
    assert isinstance(short.prompt, Unscorable)


def test_a_chat_model_reads_the_article_as_its_own_turn(toy_checkpoint: Path, tmp_path: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    tokenizer.chat_template = "{% for turn in messages %}Q: {{ turn.content }}\n{% endfor %}A: "
    tokenizer.save_pretrained(tmp_path / "chat")
    model = HuggingFaceModel(str(toy_checkpoint), device="cpu", chat="yes", tokenizer=str(tmp_path / "chat"))
    text = TEXTS["a sentence"]
    (reading,) = model.readings([(Prompt(0, PROMPT), text)], standardised=False)
    asked = tokenizer(f"Q: {PROMPT}\nA: ")["input_ids"]
    tokens = torch.tensor([asked + tokenizer(text)["input_ids"]])
    with torch.no_grad():
        numbers = (
            AutoModelForCausalLM.from_pretrained(toy_checkpoint).eval()(input_ids=tokens).logits[0].log_softmax(-1)
        )
    places = range(len(asked), tokens.shape[1])
    assert isinstance(reading.rest, Passage)
    assert reading.rest.log_probabilities == pytest.approx(
        [float(numbers[place - 1, tokens[0, place]]) for place in places], abs=1e-5
    )
    assert isinstance(reading.prompt, Unscorable)
