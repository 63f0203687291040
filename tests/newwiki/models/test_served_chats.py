"""Chats with servers: thinking, missing answers, and the fields of a request.

The answers have the shapes that these servers had in 2026, by their documentation and source code.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from newwiki.decoding.grammar import parse
from newwiki.errors import UsageError
from newwiki.models.backend import Writing
from newwiki.models.openai import OpenAIModel
from newwiki.models.remote.answers import read
from newwiki.models.thinking import ALL_TAKEN, ONLY_THOUGHT, UNCLOSED
from newwiki.records import Completion, Prompt
from tests.endpoint import Endpoint, endpoint, words

pytestmark = pytest.mark.usefixtures("impatient")

PROMPT = Prompt(11, "Write an article: Orlow", "Orlow is a town.", "Write an article that begins: Orlow is a town.")
TEXT = "It lies in the north."


@pytest.fixture
def served() -> Iterator[Endpoint]:
    with endpoint(words) as told:
        yield told


def chat(message: Mapping[str, Any], reason: str = "stop", *, model: str = "m", **usage: Any) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", **message}}
    return {"id": "chatcmpl-1", "object": "chat.completion", "model": model, "choices": [choice], "usage": usage}


def vllm(message: Mapping[str, Any], reason: str, tokens: int) -> dict[str, Any]:
    """vLLM counts all tokens together, and names the reasoning `reasoning` since 0.12."""
    empty: dict[str, Any] = {
        "refusal": None,
        "annotations": None,
        "audio": None,
        "function_call": None,
        "tool_calls": [],
    }
    return chat(
        {**empty, **message}, reason, prompt_tokens=9, completion_tokens=tokens, total_tokens=9 + tokens,
        prompt_tokens_details=None,
    ) | {"system_fingerprint": None, "prompt_logprobs": None, "service_tier": None}  # fmt: skip


def sglang(message: Mapping[str, Any], reason: str, tokens: int, reasoning: int) -> dict[str, Any]:
    return chat(
        {"tool_calls": None, **message}, reason, prompt_tokens=9, completion_tokens=tokens, total_tokens=9 + tokens,
        prompt_tokens_details={"cached_tokens": 4}, reasoning_tokens=reasoning,
    )  # fmt: skip


def ollama(message: Mapping[str, Any], reason: str, tokens: int) -> dict[str, Any]:
    return chat(message, reason, prompt_tokens=9, completion_tokens=tokens, total_tokens=9 + tokens) | {
        "system_fingerprint": "fp_ollama"
    }


def openai(message: Mapping[str, Any], reason: str, tokens: int, reasoning: int, cached: int = 0) -> dict[str, Any]:
    return chat(
        {"refusal": None, "annotations": [], **message}, reason, model="gpt-5-2026-08-07",
        prompt_tokens=9, completion_tokens=tokens, total_tokens=9 + tokens,
        prompt_tokens_details={"cached_tokens": cached, "audio_tokens": 0},
        completion_tokens_details={"reasoning_tokens": reasoning, "audio_tokens": 0},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "thinking", "thinking_tokens", "tokens", "cached"),
    [
        (vllm({"content": TEXT, "reasoning": "Hm."}, "stop", 12), "Hm.", None, 12, None),
        (vllm({"content": TEXT, "reasoning_content": "Hm.", "reasoning": "Hm."}, "stop", 12), "Hm.", None, 12, None),
        (vllm({"content": f"<think>\nHm.\n</think>\n\n{TEXT}"}, "stop", 12), "Hm.", None, 12, None),
        (vllm({"content": f"Hm.\n</think>\n\n{TEXT}"}, "stop", 12), "Hm.", None, 12, None),
        (vllm({"content": TEXT, "reasoning": None}, "stop", 7), None, None, 7, None),
        (sglang({"content": TEXT, "reasoning_content": "Hm."}, "stop", 12, 5), "Hm.", 5, 7, 4),
        (sglang({"content": TEXT, "reasoning_content": "Hm."}, "stop", 12, 0), "Hm.", None, 12, 4),
        (ollama({"content": TEXT, "reasoning": "Hm."}, "stop", 12), "Hm.", None, 12, None),
        (openai({"content": TEXT}, "stop", 12, 5, cached=8), "", 5, 7, 8),
        (openai({"content": TEXT}, "stop", 12, 0), None, None, 12, None),
        # xAI counts the reasoning beside the completion's tokens, and Mistral sends it as a part of the content
        (
            chat(
                {"content": TEXT, "reasoning_content": "Hm."}, prompt_tokens=9, completion_tokens=7, total_tokens=21,
                completion_tokens_details={"reasoning_tokens": 5},
            ),
            "Hm.", 5, 7, None,
        ),
        (
            chat({"content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, {"type": "text", "text": TEXT},
            ]}, prompt_tokens=9, completion_tokens=12),
            "Hm.", None, 12, None,
        ),
    ],
)  # fmt: skip
def test_the_text_is_the_answer_alone(
    answer: dict[str, Any], thinking: str | None, thinking_tokens: int | None, tokens: int, cached: int | None
) -> None:
    (one,) = completed(answer)
    assert (one.text, one.words, one.no_answer, one.finish_reason) == (TEXT, 5, None, "stop")
    assert (one.thinking, one.thinking_tokens, one.tokens) == (thinking, thinking_tokens, tokens)
    assert (one.prompt_tokens, one.cached_tokens) == (9, cached)


@pytest.mark.parametrize(
    ("answer", "reason", "ended"),
    [
        (vllm({"content": None, "reasoning": "Hm"}, "length", 64), ALL_TAKEN, "length"),
        (vllm({"content": "<think>\nHm"}, "length", 64), UNCLOSED, "length"),
        (sglang({"content": None, "reasoning_content": "Hm"}, "length", 64, 64), ALL_TAKEN, "length"),
        (ollama({"content": "", "reasoning": "Hm."}, "stop", 12), ONLY_THOUGHT, "stop"),
        (openai({"content": ""}, "length", 64, 64), ALL_TAKEN, "length"),
        (openai({"content": None, "refusal": "I\ncan't\x1b[2J."}, "stop", 5, 0), "refused: I can't\\u001b[2J.", "stop"),
        (openai({"content": [{"type": "refusal", "refusal": "No."}]}, "stop", 5, 0), "refused: No.", "stop"),
        (openai({"content": None}, "content_filter", 0, 0), "the server's content filter", "unknown"),
        (openai({"content": None, "tool_calls": [{"id": "1"}]}, "tool_calls", 9, 0), "a tool was called", "unknown"),
        (openai({"content": None}, "stop", 1, 0), None, "stop"),
        (ollama({"content": ""}, "stop", 1), None, "stop"),
    ],
)
def test_a_missing_answer_has_its_reason_and_no_text(answer: dict[str, Any], reason: str | None, ended: str) -> None:
    (one,) = completed(answer)
    assert (one.text, one.words, one.no_answer, one.finish_reason) == ("", 0, reason, ended)


def test_a_name_cannot_steer_a_terminal() -> None:
    body = chat({"content": TEXT}) | {"model": "m\x1b[31m \u202e" + "x" * 200}
    served_by = read(json.dumps(body).encode()).served_by
    assert served_by == ("m\\u001b[31m_\\u202e" + "x" * 200)[:90]


def test_marks_of_ones_own_family_are_read_first(served: Endpoint, tmp_path: Any) -> None:
    own = tmp_path / "marks.toml"
    own.write_text('[own]\nopen = "{{"\nclose = "}}"\n')
    served.answer = lambda path, body: (200, vllm({"content": f"{{{{Hm.}}}} {TEXT}"}, "stop", 9))
    model = loaded(served, "transformers", thinking_markers=str(own))
    (one,) = [one for batch in model.complete([(PROMPT, 0)], parse("greedy")[0], Writing()) for one in batch]
    assert (one.thinking, one.text) == ("Hm.", TEXT)


USER = {"role": "user", "content": PROMPT.text}
BEGUN = [USER, {"role": "assistant", "content": "Orlow is a town."}]
TOLD = [{"role": "user", "content": PROMPT.instructed}]
CONTINUED = {"add_generation_prompt": False, "continue_final_message": True}


def switched(on: bool) -> dict[str, Any]:
    return {"chat_template_kwargs": {"enable_thinking": on, "thinking": on}}


@pytest.mark.parametrize(
    ("server", "arguments", "messages", "fields"),
    [
        ("vllm", {}, BEGUN, {"max_tokens": 16, **CONTINUED}),
        ("vllm", {"thinking": "off"}, BEGUN, {"max_tokens": 16, **CONTINUED, **switched(False)}),
        ("sglang", {"thinking": "on", "max_thinking_tokens": "100"}, TOLD, {"max_tokens": 116, **switched(True)}),
        (
            "vllm", {"chat_template_args": '{"reasoning_effort": "low"}'}, BEGUN,
            {
                "max_tokens": 16, **CONTINUED,
                "chat_template_kwargs": {"reasoning_effort": "low"}, "reasoning_effort": "low",
            },
        ),
        ("llama.cpp", {"thinking": "off"}, BEGUN, {"max_tokens": 16, **switched(False)}),
        ("ollama", {"thinking": "off"}, BEGUN, {"max_tokens": 16, "reasoning_effort": "none"}),
        ("ollama", {"thinking": "on"}, TOLD, {"max_tokens": 2064, "reasoning_effort": "medium"}),
        (
            "openai", {"chat_template_args": '{"reasoning_effort": "low"}', "system": "Be brief."},
            [{"role": "system", "content": "Be brief."}, *TOLD],
            {"max_completion_tokens": 16, "reasoning_effort": "low"},
        ),
        ("tgi", {"date": "2026-10-31"}, TOLD, {"max_tokens": 16}),
    ],
)  # fmt: skip
def test_a_chat_is_asked_for_as_each_server_wants(
    served: Endpoint, server: str, arguments: dict[str, str], messages: list[Any], fields: dict[str, Any]
) -> None:
    model = loaded(served, server, **arguments)
    list(model.complete([(PROMPT, 0)], parse("greedy")[0], Writing(max_new_tokens=16)))
    body = served.completions[-1].body
    sampling = set(model._arguments.dialect.words(dict.fromkeys(SAMPLING, 0.0)))
    assert body["messages"] == messages
    assert {name: body[name] for name in body.keys() - sampling - {"model", "messages"}} == fields
    assert model.settings.get("begun") == ("no" if messages[-1]["role"] == "user" else None)


SAMPLING = (
    "temperature", "top_p", "top_k", "min_p", "typical_p", "repetition_penalty", "presence_penalty",
    "frequency_penalty",
)  # fmt: skip


def test_what_is_said_to_a_chat_is_part_of_the_run(served: Endpoint) -> None:
    plain = loaded(served, "vllm").settings
    assert plain["thinking"] == "auto"
    for arguments in (
        {"system": "x"}, {"thinking": "off"}, {"max_thinking_tokens": "9"}, {"chat_template_args": '{"a": 1}'},
    ):  # fmt: skip
        assert loaded(served, "vllm", **arguments).settings != plain
    assert loaded(served, "vllm", date="2026-10-31").settings == plain, "a server has its own clock"
    assert "thinking" not in OpenAIModel("small", base_url=served.url).settings


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"chat_template": "x.jinja"}, "omit --chat-template, and start the server with that template"),
        (
            {"thinking": "on"},
            r"kind 'openai' has no switch for thinking: add --chat-template-args reasoning_effort=low",
        ),
        ({"enable_thinking": "no"}, "give an argument of the chat template as --chat-template-args enable_thinking="),
        ({"chat": "no", "system": "x"}, "--system applies to chat models only"),
    ],
)
def test_what_a_server_cannot_do_is_refused(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        OpenAIModel.find("small", **{"base_url": "http://127.0.0.1:1/v1", "chat": "yes", **arguments})


def test_an_argument_of_the_template_replaces_no_field_of_the_request(served: Endpoint) -> None:
    model = loaded(served, "openai", chat_template_args='{"temperature": 1, "model": "x"}')
    with pytest.raises(UsageError, match="chat_template_args cannot set model, temperature, which newwiki sets"):
        model.complete([(PROMPT, 0)], parse("greedy")[0], Writing())


def loaded(told: Endpoint, server: str, **arguments: str) -> OpenAIModel:
    return OpenAIModel("small", base_url=told.url, server=server, chat="yes", **arguments)


def completed(answer: dict[str, Any]) -> list[Completion]:
    with endpoint(lambda path, body: (200, answer)) as told:
        model = loaded(told, "transformers")
        return [
            one
            for batch in model.complete([(PROMPT, 0)], parse("greedy")[0], Writing(max_new_tokens=64))
            for one in batch
        ]
