"""Parse a server's answer: the text, the thinking before it, why it ended, and the token counts."""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from newwiki.models.thinking import ALL_TAKEN, ONLY_THOUGHT, ThinkingMarks, split_unknown
from newwiki.records import Completion, FinishReason, Prompt
from newwiki.text.words import split_words
from newwiki.visible import visible

# The values of OpenAI and of Text Generation Inference.
_ENDS = ("stop", "eos_token", "stop_sequence")
# The name that vLLM had until 2025 and that SGLang, llama.cpp and DeepSeek have; that of vLLM, Ollama and OpenRouter.
_REASONING = ("reasoning_content", "reasoning")
_LONGEST_NAME = 90  # characters of a model's name, and of a fingerprint
_LONGEST_REFUSAL = 200  # characters


@dataclass(frozen=True)
class Answer:
    """One generated text, as a server reports it.

    - `text`: the answer alone, empty if there is none, for the reason `no_answer`
    - `thinking`: what the model wrote before its answer; None if the server shows none
    - `reason`: why the text ended, in the server's words
    - `tokens`: all tokens that the model wrote; the first `reasoning_tokens` are the thinking
    - `prompt_tokens`: the tokens of the prompt; the server had `cached_tokens` of them in its cache
    - `served_by`: what the server says about itself: the model's full name, and its system_fingerprint

    A count is None if the server does not report it.
    """

    text: str
    thinking: str | None
    no_answer: str | None
    reason: str | None
    tokens: int | None
    reasoning_tokens: int | None
    prompt_tokens: int | None
    cached_tokens: int | None
    served_by: str

    def completion(self, prompt: Prompt, sample: int, most: int, stop: Sequence[str]) -> Completion:
        """Build the completion; `most` is the requested maximum of tokens. Cuts the text before the first stop string,
        which some servers keep."""
        ends = [place for string in stop if (place := self.text.find(string)) >= 0]
        text = self.text[: min(ends)] if ends else self.text
        reason: FinishReason = "stop" if ends else self._reason(most)
        return Completion(
            prompt.page_id, sample, text, self._answer_tokens(), len(split_words(text)), reason, reason != "stop",
            prompt_tokens=self.prompt_tokens,
            served_by=self.served_by,
            thinking="" if self.thinking is None and self.reasoning_tokens else self.thinking,
            thinking_tokens=self.reasoning_tokens,
            no_answer=self.no_answer,
            cached_tokens=self.cached_tokens,
        )  # fmt: skip

    def _answer_tokens(self) -> int | None:
        return self.tokens if self.tokens is None else self.tokens - (self.reasoning_tokens or 0)

    def _reason(self, most: int) -> FinishReason:
        """Map the finish reason; a text that was cut off before the maximum has filled the context."""
        if self.reason == "length":
            return "length" if self.tokens is None or self.tokens >= most else "context"
        return "stop" if self.reason in _ENDS else "unknown"


def read(body: bytes, families: Sequence[ThinkingMarks] | None = None) -> Answer:
    """Parse an answer of /completions or /chat/completions. Thinking that the server has left in a chat's content is
    recognized by the marks of the families. Raises ValueError, which says what is wrong."""
    return read_object(json.loads(body), families)


def read_object(value: object, families: Sequence[ThinkingMarks] | None = None) -> Answer:
    """Parse an answer that is no longer text, as `read` does."""
    answer = _object(value, "the answer")
    if error := answer.get("error"):
        raise ValueError(f"it reports an error: {_error_message(error)}")
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices:
        raise ValueError(f"no choices in {json.dumps(answer)}")
    choice = _object(choices[0], "a choice")
    counts = _counts(_object(answer.get("usage") or {}, "usage"))
    said = _said(choice, counts.reasoning, families)
    who = [_name(answer[key]) for key in ("model", "system_fingerprint") if answer.get(key)]
    return Answer(
        said.text, said.thinking, said.no_answer, choice.get("finish_reason"),
        counts.completion, counts.reasoning, counts.prompt, counts.cached,
        " ".join(who),
    )  # fmt: skip


def model_name(served_by: str) -> str:
    """Return the model's name in what a server says about itself, without the fingerprint."""
    return served_by.partition(" ")[0]


class _Said(NamedTuple):
    text: str
    thinking: str | None = None
    no_answer: str | None = None


def _said(choice: Mapping[str, Any], reasoning_tokens: int | None, families: Sequence[ThinkingMarks] | None) -> _Said:
    """Return the text with the thinking, and why it has none; a text that is empty for no reason is an answer."""
    if choice.get("message") is None:
        if not isinstance(choice.get("text"), str):
            raise ValueError("the answer has no text")
        return _Said(choice["text"])
    message = _object(choice["message"], "a message")
    content, parts, refusal = _content(message)
    reasoning = next((message[name] for name in _REASONING if isinstance(message.get(name), str) and message[name]), "")
    split = split_unknown(content, families)
    thoughts = [thought for thought in (reasoning, parts, split.thinking) if thought]
    thinking = "\n".join(thoughts) if thoughts else split.thinking
    if split.no_answer or split.answer.strip():
        return _Said(split.answer, thinking, split.no_answer)
    reason = _reason_for_none(choice, message, refusal, bool(thinking or reasoning_tokens))
    return _Said("" if reason else split.answer, thinking, reason)


def _content(message: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the text of a message, the thinking that it holds as parts of its own (Mistral), and the refusal."""
    content, refusal = message.get("content"), message.get("refusal") or ""
    if content is None or isinstance(content, str):
        return content or "", "", str(refusal)
    if not isinstance(content, list):
        raise ValueError("the answer has no text")
    parts = [_object(part, "a part of the content") for part in content]
    thoughts = [_content({"content": part["thinking"]})[0] for part in parts if part.get("thinking")]
    texts = [str(part["text"]) for part in parts if part.get("type") == "text" and part.get("text")]
    refusals = [str(part["refusal"]) for part in parts if part.get("refusal")]
    return "".join(texts), "".join(thoughts), str(refusal) or " ".join(refusals)


def _reason_for_none(choice: Mapping[str, Any], message: Mapping[str, Any], refusal: str, thought: bool) -> str | None:
    if refusal:
        line = " ".join(visible(refusal).split())
        return f"refused: {line[:_LONGEST_REFUSAL]}"
    if message.get("tool_calls") or message.get("function_call"):
        return "a tool was called"
    if choice.get("finish_reason") == "content_filter":
        return "the server's content filter"
    if thought:
        return ALL_TAKEN if choice.get("finish_reason") == "length" else ONLY_THOUGHT
    return None


class _Counts(NamedTuple):
    prompt: int | None
    cached: int | None
    completion: int | None
    reasoning: int | None


def _counts(usage: Mapping[str, Any]) -> _Counts:
    """Return the token counts. SGLang reports reasoning tokens beside the others, and zero where it does not count
    them. Some servers (xAI) leave them out of the completion's tokens, which their total shows."""
    prompt, completion = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    written = _object(usage.get("completion_tokens_details") or {}, "completion_tokens_details")
    given = _object(usage.get("prompt_tokens_details") or {}, "prompt_tokens_details")
    cached = None if prompt is None else min(prompt, _count(given, "cached_tokens") or 0)
    reasoning = _count(written, "reasoning_tokens") or _count(usage, "reasoning_tokens") or None
    if completion is None or reasoning is None:
        return _Counts(prompt, cached or None, completion, None)
    if usage.get("total_tokens") == (prompt or 0) + completion + reasoning:
        completion += reasoning
    if reasoning > completion:
        raise ValueError(f"{reasoning} reasoning tokens are not among {completion} completion tokens")
    return _Counts(prompt, cached or None, completion, reasoning)


def _count(usage: Mapping[str, Any], name: str) -> int | None:
    number = usage.get(name)
    if number is not None and (not isinstance(number, int) or number < 0):
        raise ValueError(f"{name} is not a token count")
    return number


def _name(value: object) -> str:
    return "_".join(visible(unicodedata.normalize("NFC", str(value))).split())[:_LONGEST_NAME]


def _error_message(error: object) -> str:
    return str(error.get("message") or error) if isinstance(error, dict) else str(error)


def _object(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is not a JSON object")
    return value
