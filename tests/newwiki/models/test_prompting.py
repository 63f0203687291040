"""How a model is spoken to: BOS, chat templates, stop strings, and the tokens that a completion adds to a prompt."""

from pathlib import Path
from typing import Any

import pytest
from tokenizers import processors
from transformers import AutoTokenizer, GPT2Config, LlamaConfig
from transformers.models.gemma.configuration_gemma import GemmaConfig

from newwiki.errors import TerminalError, UsageError
from newwiki.models.prompting import Prompting

TEXT = "Orlow\n\nOrlow is a town."
TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


@pytest.fixture
def tokenizer(toy_checkpoint: Path) -> Any:
    return AutoTokenizer.from_pretrained(toy_checkpoint)


@pytest.fixture
def beginning(tokenizer: Any) -> Any:
    """A tokenizer with a BOS, which it puts before every text and an EOS after it, as some do."""
    tokenizer.add_special_tokens({"bos_token": "<s>"})
    bos, eos = tokenizer.bos_token_id, tokenizer.eos_token_id
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A <|endoftext|>", special_tokens=[("<s>", bos), ("<|endoftext|>", eos)]
    )
    return tokenizer


def prompting(tokenizer: Any, config: Any = None, *, chat: bool = False, bos: str = "auto") -> Prompting:
    return Prompting("toy", tokenizer, config or GPT2Config(), chat=chat, bos=bos)


def test_a_prompt_has_no_bos_where_the_tokenizer_gives_none(tokenizer: Any) -> None:
    ours = prompting(tokenizer)
    assert ours.encode(TEXT) == tuple(tokenizer(TEXT)["input_ids"])
    assert ours.settings == {"bos": "no", "chat": "no"}


def test_a_prompt_has_the_bos_that_the_tokenizer_gives_and_never_an_end(beginning: Any) -> None:
    assert beginning(TEXT)["input_ids"][-1] == beginning.eos_token_id
    ours = prompting(beginning, LlamaConfig())
    assert ours.encode(TEXT) == tuple(beginning(TEXT)["input_ids"][:-1])
    assert ours.settings == {"bos": "yes", "chat": "no"}


def test_bos_can_be_asked_for_and_left_out(beginning: Any) -> None:
    without = prompting(beginning, bos="no").encode(TEXT)
    assert prompting(beginning, bos="yes").encode(TEXT) == (beginning.bos_token_id, *without)
    assert beginning.bos_token_id not in without


def test_gemma_gets_its_bos_in_any_case(tokenizer: Any) -> None:
    tokenizer.add_special_tokens({"bos_token": "<s>"})
    assert prompting(tokenizer, GemmaConfig()).encode(TEXT)[0] == tokenizer.bos_token_id
    assert prompting(tokenizer, GPT2Config()).encode(TEXT)[0] != tokenizer.bos_token_id


def test_a_bos_that_is_not_there_is_misuse(tokenizer: Any) -> None:
    tokenizer.bos_token = None
    with pytest.raises(UsageError, match="bos=yes, but 'toy' has no BOS token"):
        prompting(tokenizer, bos="yes")
    with pytest.raises(UsageError, match="bos must be auto, yes or no, not 'perhaps'"):
        prompting(tokenizer, bos="perhaps")


def test_with_chat_the_prompt_is_the_users_turn(tokenizer: Any) -> None:
    tokenizer.chat_template = TEMPLATE
    ours = prompting(tokenizer, chat=True)
    assert tokenizer.decode(ours.encode(TEXT)) == f"<user>{TEXT}</user><assistant>"
    assert ours.settings == {
        "bos": "template", "chat": "yes", "thinking": "auto", "max_thinking_tokens": "2048"
    }  # fmt: skip


def test_a_model_without_a_template_has_no_chat(tokenizer: Any) -> None:
    with pytest.raises(TerminalError, match="'toy' has no chat template; omit --chat"):
        prompting(tokenizer, chat=True)


@pytest.mark.parametrize("completion", [" It lies on a river.", "", "s of Vareska", " 🙂 שלום"])
def test_a_completions_tokens_are_those_that_it_adds(tokenizer: Any, completion: str) -> None:
    before, after = prompting(tokenizer).encode_pair(TEXT, completion)
    assert [*before, *after] == tokenizer(TEXT + completion)["input_ids"]
    assert len(before) == len(tokenizer(TEXT)["input_ids"])


def test_a_text_ends_before_its_first_stop_string(tokenizer: Any) -> None:
    ours = prompting(tokenizer)
    tokens = tokenizer("A town.\n\nIts river. END of it")["input_ids"]
    assert ours.decode(tokens) == "A town.\n\nIts river. END of it"
    assert ours.decode(tokens, ("END", "\n\n")) == "A town."
    stops = ours.stops(("END",))
    places = [place for place in range(1, len(tokens) + 1) if stops(tokens[:place])]
    assert tokenizer.decode(tokens[: places[0]]).rstrip().endswith("END")
    assert ours.decode(tokens[: places[0]], ("END",)) == "A town.\n\nIts river. "
