"""Chat models of eight families: what each is told, where its thinking ends and its answer begins, and what ends it."""

import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import chat_template_utils

from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError, UsageError
from newwiki.models.backend import Writing
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.models.thinking import AGAIN, UNCLOSED, ThinkingMarks, known_families
from newwiki.protocol import SETTINGS
from newwiki.records import Completion, Prompt
from tests.newwiki.models.families import ANSWER, BEGUN, FAMILIES, THOUGHT, save_family

USER = [{"role": "user", "content": "Write about Lorn."}]
THINKING = [name for name, family in FAMILIES.items() if family.thinks]
Load = Callable[..., HuggingFaceModel]


@pytest.fixture(scope="module")
def folder_of(toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """A function that saves a family's model once for each set of texts that it writes."""
    saved: dict[Any, Path] = {}

    def save(name: str, *writes: str) -> Path:
        if (name, writes) not in saved:
            saved[name, writes] = save_family(name, toy_checkpoint, tmp_path_factory.mktemp(name), writes=writes)
        return saved[name, writes]

    return save


@pytest.fixture(scope="module")
def chat(folder_of: Callable[..., Path]) -> Load:
    def load(name: str, *writes: str, **options: str) -> HuggingFaceModel:
        return HuggingFaceModel(str(folder_of(name, *writes)), chat="yes", device="cpu", **options)

    return load


def answers(
    model: HuggingFaceModel, decoder: str = "greedy", *, begun: str = "", samples: int = 1, **writing: Any
) -> list[Completion]:
    [chosen] = parse(decoder)
    requests = [(Prompt(1, USER[0]["content"], begun), sample) for sample in range(samples)]
    batches = model.complete(requests, chosen, Writing(**{"max_new_tokens": 40, **writing}))
    return sorted((completion for batch in batches for completion in batch), key=lambda found: found.sample)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_model_is_told_what_its_template_says(chat: Load, folder_of: Callable[..., Path], name: str) -> None:
    """transformers renders the same chat, with one BOS if the template has one."""
    tokenizer, model = AutoTokenizer.from_pretrained(folder_of(name)), chat(name, date=f"{datetime.now():%Y-%m-%d}")
    told = tokenizer.apply_chat_template(USER, add_generation_prompt=True, return_dict=False)
    assert list(model._prompting.encode(USER[0]["content"])) == told
    assert told.count(tokenizer.bos_token_id) == bool(FAMILIES[name].bos)
    if not FAMILIES[name].thinks:
        turns = [*USER, {"role": "assistant", "content": BEGUN}]
        begun = tokenizer.apply_chat_template(turns, continue_final_message=True, return_dict=False)
        assert list(model._prompting.encode(USER[0]["content"], BEGUN)) == begun


@pytest.mark.parametrize("name", FAMILIES)
def test_thinking_is_split_from_the_answer(chat: Load, name: str) -> None:
    """Also where the given first sentence begins the answer, after the thinking."""
    model = chat(name)
    for begun in ("", BEGUN) if name != "gpt-oss" else (BEGUN,):
        [completion] = answers(model, begun=begun)
        assert completion.text.lstrip() == ANSWER.lstrip()
        assert completion.thinking == (THOUGHT if FAMILIES[name].thinks else None)
        assert (completion.no_answer, completion.finish_reason, completion.words) == (None, "stop", 4)


@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "gpt-oss"])
def test_thinking_and_answer_are_what_generate_writes(chat: Load, folder_of: Callable[..., Path], name: str) -> None:
    tokenizer, plain = (kind.from_pretrained(folder_of(name)) for kind in (AutoTokenizer, AutoModelForCausalLM))
    model = chat(name)
    [completion] = answers(model)
    prompt = torch.tensor([model._prompting.encode(USER[0]["content"])])
    whole = plain.generate(prompt, max_new_tokens=60, do_sample=False, eos_token_id=list(model._end_tokens()))
    expected = [token for token in whole[0, prompt.shape[1] :].tolist() if token not in model._end_tokens()]
    assert [*(completion.thinking_ids or ()), *(completion.token_ids or ())] == expected
    assert ANSWER in tokenizer.decode(expected)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_end_tokens_are_the_union_of_all_that_name_some(chat: Load, name: str) -> None:
    """Gemma 3's end of turn stands in its template only, and Llama 3's in its tokenizer and template."""
    model = chat(name)
    ends = {model._tokenizer.convert_ids_to_tokens(token) for token in model._end_tokens()}
    family = FAMILIES[name]
    assert set(model.settings) <= set(SETTINGS)
    assert ends == {*family.ends, family.eos, *(["<end_of_turn>"] if name == "gemma3" else [])}
    assert ("ends" in model.settings) == (ends != set(family.ends))


@pytest.mark.parametrize("name", ["llama3", "smollm3", "gpt-oss"])
def test_the_clock_is_not_read(chat: Load, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A template that asks for the date gets the run's day on every day and in every time zone, and the run says it."""
    model = chat(name, date="2026-10-31")
    told = model._prompting.encode("Lorn")
    assert model.settings["date"] == "2026-10-31"
    assert any(day in model._prompting.rendered("Lorn") for day in ("31 Oct 2026", "31 October 2026", "2026-10-31"))

    class Later:
        @staticmethod
        def now() -> datetime:
            return datetime.now() + timedelta(days=40)

    monkeypatch.setattr(chat_template_utils, "datetime", Later)
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    try:
        assert chat(name, date="2026-10-31")._prompting.encode("Lorn") == told
        assert chat(name, date="2026-11-01")._prompting.encode("Lorn") != told
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("name", ["qwen3", "smollm3", "granite"])
def test_thinking_is_switched_by_the_template(chat: Load, name: str) -> None:
    off = chat(name, thinking="off")
    assert not off._prompting.thinks_first
    if name != "granite":
        assert off._prompting.rendered("Lorn", BEGUN).rstrip().endswith(f"</think>\n\n{BEGUN}".lstrip()) or (
            name == "smollm3" and off._prompting.rendered("Lorn", BEGUN).endswith(f"</think>\n{BEGUN}")
        )
    assert answers(off, begun=BEGUN)[0].text == ANSWER.lstrip()
    on = chat(name, thinking="on")
    assert on._prompting.thinks_first and on.settings["thinking"] == "on"
    assert answers(on)[0].thinking == THOUGHT


def test_what_cannot_be_switched_is_refused(chat: Load) -> None:
    with pytest.raises(TerminalError, match="no switch that turns the thinking off"):
        chat("r1", thinking="off")
    with pytest.raises(TerminalError, match="no marks of thinking that newwiki knows"):
        chat("llama3", thinking="on")
    with pytest.raises(TerminalError, match="System role not supported"):
        chat("gemma3", system="Be brief.")
    with pytest.raises(UsageError, match="applies to chat models only"):
        HuggingFaceModel("any", chat="no", system="Be brief.")


@pytest.mark.parametrize("name", THINKING)
def test_unclosed_thinking_is_no_answer(chat: Load, name: str) -> None:
    """At the limit, and where the model ends its text; neither text is empty prose that could be scored."""
    [cut] = answers(chat(name, max_thinking_tokens="3"), begun=BEGUN)
    assert (cut.no_answer, cut.text, cut.tokens, cut.finish_reason) == (UNCLOSED, "", 0, "length")
    assert cut.thinking is not None and cut.thinking_tokens == 3
    opening = FAMILIES[name].writes.partition(THOUGHT)[0]
    [ended] = answers(chat(name, f"{opening}{THOUGHT}{FAMILIES[name].eos}"))
    assert (ended.no_answer, ended.text, ended.finish_reason) == (UNCLOSED, "", "stop")
    assert ended.thinking == THOUGHT


def test_thinking_is_closed_early_where_the_authors_say_how(chat: Load, tmp_path: Path) -> None:
    marks = tmp_path / "marks.toml"
    marks.write_text('[mine]\nopen = "<think>"\nclose = "</think>"\nearly_close = " Time is up.</think>"\n')
    model = chat("r1", max_thinking_tokens="2", thinking_markers=str(marks))
    [completion] = answers(model, begun=BEGUN)
    assert (completion.thinking, completion.thinking_tokens, completion.text) == ("Let me", 2, ANSWER.lstrip())
    assert model.settings["thinking_markers"] and model.settings["max_thinking_tokens"] == "2"


@pytest.mark.parametrize("marks", known_families(), ids=lambda marks: marks.name)
def test_marks_split_a_text(marks: ThinkingMarks) -> None:
    whole = f"{marks.open}I think.{marks.close}{marks.between}{marks.answer_open}It is.{marks.answer_close}"
    assert marks.split(whole) == ("I think.", "It is.", None)
    assert marks.split(whole.removeprefix(marks.open)) == ("I think.", "It is.", None)
    assert marks.split(f"\n{marks.open}I think.") == ("I think.", "", UNCLOSED)
    ends = bool(marks.answer_close)  # what follows is not read, so it cannot be an open thought either
    assert marks.split(f"{whole} And {marks.open}more") == (
        "I think.",
        "It is." if ends else "",
        None if ends else AGAIN,
    )
    assert marks.split("It is.") == (None, "It is.", None)
    assert marks.split("I think.", opened=True) == ("I think.", "", UNCLOSED)


def test_a_model_that_may_think_need_not(chat: Load) -> None:
    """Then its first tokens are those of the answer, which stays as it was written."""
    [completion] = answers(chat("qwen3", f"{ANSWER}<|im_end|>"))
    assert (completion.thinking, completion.text) == (None, ANSWER.lstrip())
    [empty] = answers(chat("qwen3", "<|im_end|>"))
    assert (empty.text, empty.no_answer, empty.finish_reason) == ("", None, "stop")


@pytest.mark.parametrize("decoder", ["sample:temperature=1.5", "beam:num_beams=2"])
def test_no_text_depends_on_its_batch(chat: Load, decoder: str) -> None:
    writes = [
        f"<think>{THOUGHT}</think>{ANSWER}<|im_end|>",
        f"{ANSWER}<|im_end|>",
        "<think> first</think> live<|im_end|>",
    ]
    model = chat("smollm3", *writes, max_thinking_tokens="30")
    wanted = answers(model, decoder, begun=BEGUN, samples=9, batch_size=1)
    if decoder != "beam:num_beams=2":
        assert len({(completion.thinking, completion.text) for completion in wanted}) > 2
    assert answers(model, decoder, begun=BEGUN, samples=9) == wanted
    assert answers(model, decoder, begun=BEGUN, samples=9, batch_size=4) == wanted


def test_thinking_can_be_replayed(chat: Load) -> None:
    """A thought that the model would not think is refused, as is an answer that does not follow it."""
    model, writing = chat("qwen3", max_thinking_tokens="30"), Writing(max_new_tokens=40)
    [decoder] = parse("sample:temperature=0.9")
    written = answers(model, "sample:temperature=0.9", begun=BEGUN, samples=3)
    prompt = Prompt(1, USER[0]["content"], BEGUN)

    def confirmed(completions: Sequence[Completion]) -> list[float]:
        verdicts = model.replay([(prompt, completion) for completion in completions], decoder, writing, 1e-5)
        return [verdict.confirmed / verdict.total for verdict in verdicts]

    assert all(model.is_text_of(completion, ()) for completion in written)
    assert confirmed(written) == [1.0] * 3
    other = answers(chat("qwen3", f"<think> first{THOUGHT}</think>{ANSWER}<|im_end|>"), begun=BEGUN)
    assert confirmed(other)[0] < 1


def test_an_unclosed_thought_can_be_replayed(chat: Load) -> None:
    model = chat("r1", max_thinking_tokens="3")
    [completion] = answers(model)
    [verdict] = model.replay([(Prompt(1, USER[0]["content"]), completion)], parse("greedy")[0], Writing(), 1e-5)
    assert verdict.confirmed == verdict.total == 3
