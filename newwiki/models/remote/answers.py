"""Parse a server's answer: the text, why it ended, and the token counts."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from newwiki.records import Completion, FinishReason, Prompt
from newwiki.text.words import split_words

# The values of OpenAI and of Text Generation Inference.
_ENDS = ("stop", "eos_token", "stop_sequence")


@dataclass(frozen=True)
class Answer:
    """One generated text. `tokens` and `prompt_tokens` are None if the server does not count them; `served_by` is what
    the server says about itself: the model's full name, and its system_fingerprint."""

    text: str
    reason: str | None
    tokens: int | None
    prompt_tokens: int | None
    served_by: str

    def completion(self, prompt: Prompt, sample: int, most: int, stop: Sequence[str]) -> Completion:
        """Build the completion; `most` is the requested maximum of tokens. Cuts the text before the first stop string,
        which some servers keep."""
        ends = [place for string in stop if (place := self.text.find(string)) >= 0]
        text = self.text[: min(ends)] if ends else self.text
        reason: FinishReason = "stop" if ends else self._reason(most)
        return Completion(
            prompt.page_id, sample, text, self.tokens, len(split_words(text)), reason, reason != "stop",
            self.prompt_tokens, self.served_by,
        )  # fmt: skip

    def _reason(self, most: int) -> FinishReason:
        """Map the finish reason; a text that was cut off before the maximum has filled the context."""
        if self.reason == "length":
            return "length" if self.tokens is None or self.tokens >= most else "context"
        return "stop" if self.reason in _ENDS else "unknown"


def read(body: bytes) -> Answer:
    """Parse an answer of /completions or /chat/completions. Raises ValueError, which says what is wrong."""
    answer = _object(json.loads(body), "the answer")
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices:
        raise ValueError(f"no choices in {json.dumps(answer)}")
    choice = _object(choices[0], "a choice")
    usage = _object(answer.get("usage") or {}, "usage")
    who = [str(answer[key]) for key in ("model", "system_fingerprint") if answer.get(key)]
    return Answer(
        _text(choice),
        choice.get("finish_reason"),
        _count(usage, "completion_tokens"),
        _count(usage, "prompt_tokens"),
        " ".join(who),
    )


def _text(choice: Mapping[str, Any]) -> str:
    """Return the text; a chat's content is null if the model refuses, which counts as an empty text."""
    message = choice.get("message")
    text = choice.get("text") if message is None else _object(message, "a message").get("content") or ""
    if not isinstance(text, str):
        raise ValueError("the answer has no text")
    return text


def _count(usage: Mapping[str, Any], name: str) -> int | None:
    number = usage.get(name)
    if number is not None and (not isinstance(number, int) or number < 0):
        raise ValueError(f"{name} is not a token count")
    return number


def _object(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is not a JSON object")
    return value
