"""What a server answers: a text, why it ended, and the tokens that it counted."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from newwiki.records import Completion, FinishReason, Prompt
from newwiki.text.words import split_words

# By OpenAI, and by Text Generation Inference.
_ENDS = ("stop", "eos_token", "stop_sequence")


@dataclass(frozen=True)
class Answer:
    """One text. `tokens` and `prompt_tokens` are None where the server does not count; `served_by` is what it says of
    itself: the model's full name, and its system_fingerprint."""

    text: str
    reason: str | None
    tokens: int | None
    prompt_tokens: int | None
    served_by: str

    def completion(self, prompt: Prompt, sample: int, most: int, stop: Sequence[str]) -> Completion:
        """With at most `most` tokens asked for. The text ends before the first stop string, which some servers keep."""
        found = [place for one in stop if (place := self.text.find(one)) >= 0]
        text = self.text[: min(found)] if found else self.text
        reason: FinishReason = "stop" if found else self._reason(most)
        return Completion(
            prompt.page_id, sample, text, self.tokens, len(split_words(text)), reason, reason != "stop",
            self.prompt_tokens, self.served_by,
        )  # fmt: skip

    def _reason(self, most: int) -> FinishReason:
        """A text that is cut off before it has all its tokens has filled the context."""
        if self.reason == "length":
            return "length" if self.tokens is None or self.tokens >= most else "context"
        return "stop" if self.reason in _ENDS else "unknown"


def read(body: bytes) -> Answer:
    """Raises ValueError, with what is wrong, for what is not an answer of /completions or /chat/completions."""
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
    """A chat's content is null where the model refuses: an empty text."""
    message = choice.get("message")
    text = choice.get("text") if message is None else _object(message, "a message").get("content") or ""
    if not isinstance(text, str):
        raise ValueError("no text in the answer")
    return text


def _count(usage: Mapping[str, Any], name: str) -> int | None:
    number = usage.get(name)
    if number is not None and (not isinstance(number, int) or number < 0):
        raise ValueError(f"{name} is not a number of tokens")
    return number


def _object(found: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(found, dict):
        raise ValueError(f"{what} is not a JSON object")
    return found
