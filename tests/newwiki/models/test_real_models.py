"""Real checkpoints are read, write and are scored as with transformers alone. `.ci/real` downloads them.

SmolLM2 135M Instruct is a chat model of Llama's architecture, Gemma 3 270M a base model with windows of attention and a
BOS token. Both come as GGUF files; most tests read the same weights as safetensors, which takes a second.
"""

import json
import math
import re
import statistics
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from newwiki.decoding.grammar import parse
from newwiki.models.backend import Writing
from newwiki.models.gguf_header import read_header
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.models.trial import try_checkpoint
from newwiki.prompting.chat_prompts import turns
from newwiki.records import Completion, Passage, Prompt
from newwiki.text.prompts import DEFAULT_TEMPLATE, continued
from tests.adapters import lora
from tests.newwiki.models.real_checkpoints import BASE, CHAT, converted, gguf_file

TEXT = (
    "The River Thames, known alternatively in parts as the River Isis, is a river that flows through southern England "
    "including London. At 215 miles, it is the longest river entirely in England and the second-longest in the United "
    "Kingdom, after the River Severn. The river rises at Thames Head in Gloucestershire and flows into the North Sea "
    "near Tilbury, Essex and Gravesend, Kent."
)
SENTENCES = (
    TEXT.partition(". ")[0] + ".",
    "Marie Curie was a Polish and naturalised-French physicist and chemist who conducted pioneering research.",
    "Photosynthesis",
)
PROMPTS = [Prompt(number, sentence) for number, sentence in enumerate(SENTENCES)]
REQUESTS = [(prompt, sample) for prompt in PROMPTS for sample in range(3)]
TOKENS = 8
CHAT_TEMPLATE = "Write a Wikipedia article about {title}.{answer}{first_sentence}"


@pytest.fixture(scope="module")
def chat_model() -> Path:
    """A real chat model as safetensors."""
    return converted(CHAT)


@pytest.fixture(scope="module", params=[CHAT, BASE])
def checkpoint(request: pytest.FixtureRequest) -> Path:
    return converted(request.param)


@pytest.fixture(scope="module")
def model(checkpoint: Path) -> HuggingFaceModel:
    return HuggingFaceModel(str(checkpoint))


@pytest.fixture(scope="module")
def plain(checkpoint: Path) -> tuple[Any, Any]:
    """The model and the tokenizer as transformers loads them."""
    return loaded(checkpoint)


def loaded(folder: Path) -> tuple[Any, Any]:
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
    return model.eval(), AutoTokenizer.from_pretrained(folder, local_files_only=True)


def complete(model: HuggingFaceModel, decoder: str, requests: Any = REQUESTS, **writing: Any) -> list[Completion]:
    batches = model.complete(requests, parse(decoder)[0], Writing(**{"max_new_tokens": TOKENS, **writing}))
    return sorted(chain.from_iterable(batches), key=lambda one: (one.page_id, one.sample))


def generated(model: Any, tokens: torch.Tensor, **options: Any) -> list[int]:
    """The new tokens of `generate()` without the end-of-text token."""
    seen = torch.ones_like(tokens)
    made = model.generate(tokens, attention_mask=seen, max_new_tokens=TOKENS, do_sample=False, **options)
    return [token for token in made[0, tokens.shape[1] :].tolist() if token != model.generation_config.eos_token_id]


def test_a_gguf_file_is_read_as_its_converted_weights_and_nothing_is_printed(
    chat_model: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = gguf_file(CHAT)
    read, saved = HuggingFaceModel(str(file)), HuggingFaceModel(str(chat_model))
    assert capfd.readouterr() == ("", ""), "transformers shows hundreds of lines"
    assert all(
        torch.equal(weight, saved._model.state_dict()[name]) for name, weight in read._model.state_dict().items()
    )
    assert [one.text for one in complete(read, "greedy")] == [one.text for one in complete(saved, "greedy")]
    assert read.settings == saved.settings


@pytest.mark.parametrize(("name", "weights", "stored"), [(CHAT, 134_515_008, "Q4_1"), (BASE, 268_098_176, "Q8_0")])
def test_the_header_of_a_gguf_file_says_what_its_weights_cost(name: str, weights: int, stored: str) -> None:
    """The numbers of weights are those that transformers reports for the loaded models."""
    header = read_header(gguf_file(name))
    assert (header.weights, header.bytes_in_memory("float32")) == (weights, 4 * weights)
    assert max(header.types, key=header.types.__getitem__) == stored


def test_the_trial_of_a_gguf_file_finds_nothing_wrong_and_says_what_it_costs() -> None:
    found = {one.what: one for one in try_checkpoint(str(gguf_file(CHAT)), {})}
    assert {one.state for one in found.values()} == {"ok"}
    assert "0.10 GB on disk (134,515,008 weights, mostly Q4_1, 5.8 bits each) become 0.54 GB" in found["memory"].words


def test_the_trial_of_a_model_with_windows_finds_nothing_wrong() -> None:
    assert {one.state for one in try_checkpoint(str(converted(BASE)), {})} == {"ok"}


@pytest.mark.parametrize(("decoder", "options"), [("greedy", {}), ("beam:num_beams=3", {"num_beams": 3})])
def test_greedy_and_beam_write_what_generate_writes(
    decoder: str, options: dict[str, Any], model: HuggingFaceModel, plain: tuple[Any, Any]
) -> None:
    theirs, _ = plain
    for prompt in PROMPTS:
        [ours] = complete(model, decoder, [(prompt, 0)])
        tokens = torch.tensor([model._prompting.encode(prompt.text)])
        assert list(ours.token_ids or ()) == generated(theirs, tokens, **options), prompt.text


@pytest.mark.parametrize("decoder", ["greedy", "sample:top_p=0.9", "beam:num_beams=3"])
def test_a_text_has_the_same_bytes_in_every_batch(decoder: str, model: HuggingFaceModel) -> None:
    alone = complete(model, decoder, batch_size=1)
    for many in (7, None):
        assert complete(model, decoder, batch_size=many) == alone


def test_a_sampled_token_is_in_the_nucleus_and_its_seed_decides(
    model: HuggingFaceModel, plain: tuple[Any, Any]
) -> None:
    texts = complete(model, "sample:top_p=0.5,temperature=0.8")
    assert texts == complete(model, "sample:top_p=0.5,temperature=0.8")
    assert len({one.text for one in texts}) > len(PROMPTS)
    assert complete(model, "sample:top_p=0.5,temperature=0.8", seed=1) != texts
    for (prompt, _), one in zip(REQUESTS, texts, strict=True):
        before = model._prompting.encode(prompt.text)
        with torch.inference_mode():
            logits = plain[0](torch.tensor([[*before, *(one.token_ids or ())]])).logits[0, len(before) - 1 : -1]
        probabilities = (logits / 0.8).softmax(-1)
        for row, token in zip(probabilities, one.token_ids or (), strict=False):
            assert row[row > row[token]].sum() < 0.5 + 1e-3


def test_bits_per_byte_are_those_of_one_pass_of_the_plain_model(
    model: HuggingFaceModel, plain: tuple[Any, Any]
) -> None:
    theirs, tokenizer = plain
    sentence, _, rest = TEXT.partition(". ")
    pair = (f"{sentence}.", rest)
    [reading] = model.readings([(Prompt(1, pair[0]), rest)], standardised=False)
    prompt, text = (tokenizer(part)["input_ids"] for part in (pair[0], pair[0] + continued(*pair)))
    with torch.inference_mode():
        found = theirs(torch.tensor([text])).logits[0].double().log_softmax(-1)
    scores = [found[place - 1, text[place]].item() for place in range(len(prompt), len(text))]
    bits = -sum(scores) / math.log(2) / len(continued(*pair).encode())
    assert isinstance(reading.rest, Passage)
    ours = -sum(reading.rest.log_probabilities) / math.log(2) / reading.rest.bytes
    assert ours == pytest.approx(bits, rel=1e-5)
    assert 0.3 < bits < 2


def test_a_chat_is_what_the_template_of_its_authors_makes_of_it(chat_model: Path) -> None:
    model, (theirs, tokenizer) = HuggingFaceModel(str(chat_model), chat="yes"), loaded(chat_model)
    turns = [{"role": "user", "content": PROMPTS[0].text}]
    tokens = tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=True)["input_ids"]
    assert list(model._prompting.encode(PROMPTS[0].text)) == tokens
    assert tokenizer.decode(tokens).endswith(f"<|im_start|>user\n{PROMPTS[0].text}<|im_end|>\n<|im_start|>assistant\n")
    [ours] = complete(model, "greedy", [(PROMPTS[0], 0)])
    assert list(ours.token_ids or ()) == generated(theirs, torch.tensor([tokens]))


_LEAD = re.compile(
    r"(?P<title>[A-Z][^,.()]{2,50}?)(?: \([^)]*\))?,? (?:is|was|are|were) (?:a|an|the) [^.]{20,200}\.(?= [A-Z]|$)"
)


@pytest.mark.parametrize("decoder", ["greedy", "sample:top_p=0.95"])
def test_a_chat_model_writes_an_article_where_its_answer_is_begun(
    chat_model: Path, beside: Callable[[str], Path], decoder: str, record_property: Callable[[str, object], None]
) -> None:
    """40 real new articles, 200 tokens each, beside the bare prompt as the user's turn. Copied: the share of spans of
    five words that stand in the first sentence."""
    texts = json.loads(beside("articles/wikipedia_english_20240915to20240930.json").read_text("utf-8"))
    leads = [next(filter(None, map(_LEAD.match, text.split("\n"))), None) for text in texts]
    articles = [(lead["title"], lead[0]) for lead in leads if lead][:40]
    model = HuggingFaceModel(str(chat_model), chat="yes")
    words, copied = {}, {}
    for name in (CHAT_TEMPLATE, DEFAULT_TEMPLATE):
        prompts = [Prompt(number, *turns(name, *article)) for number, article in enumerate(articles)]
        written = complete(model, decoder, [(prompt, 0) for prompt in prompts], max_new_tokens=200)
        pairs = [(spans(one.text), spans(articles[one.page_id][1])) for one in written]
        words[name] = statistics.median(one.words for one in written)
        copied[name] = statistics.fmean(len(text & lead) / max(len(text), 1) for text, lead in pairs)
        record_property(name, f"median of {words[name]:.0f} words, {copied[name]:.1%} copied")
    assert words[CHAT_TEMPLATE] >= 80 and copied[CHAT_TEMPLATE] < 0.05
    assert words[DEFAULT_TEMPLATE] < words[CHAT_TEMPLATE] and copied[DEFAULT_TEMPLATE] > copied[CHAT_TEMPLATE]


def spans(text: str) -> set[tuple[str, ...]]:
    found = re.findall(r"\w+", text.lower())
    return {tuple(found[place : place + 5]) for place in range(len(found) - 4)}


def test_an_adapter_that_was_trained_writes_what_peft_writes(chat_model: Path, tmp_path: Path) -> None:
    from peft import PeftModel, get_peft_model

    base, tokenizer = loaded(chat_model)
    torch.manual_seed(0)  # of the adapter's first weights
    adapted = get_peft_model(base, lora(r=8, lora_alpha=16, target_modules=["q_proj", "v_proj"]))
    tokens = tokenizer("Photosynthesis is what the gnomes of Orlow do at night.", return_tensors="pt")["input_ids"]
    optimizer = torch.optim.AdamW([weight for weight in adapted.parameters() if weight.requires_grad], lr=2e-3)
    for _ in range(40):
        adapted(input_ids=tokens, labels=tokens).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    adapted.save_pretrained(tmp_path / "adapter")
    model = HuggingFaceModel(str(tmp_path / "adapter"), base=str(chat_model))
    [ours] = complete(model, "greedy", [(PROMPTS[2], 0)])
    assert " is what the gnomes of Orlow do at night.".startswith(ours.text)
    beside = PeftModel.from_pretrained(loaded(chat_model)[0], tmp_path / "adapter").eval()
    tokens = torch.tensor([model._prompting.encode(PROMPTS[2].text)])
    assert list(ours.token_ids or ()) == generated(beside, tokens)
