"""From a prompt to token ids and from token ids to text: BOS, chat templates, stop strings."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from newwiki.errors import TerminalError, UsageError


class Prompting:
    """How a model is spoken to. `settings` say it, as part of what names a run.

    `bos` is `yes`, `no`, or `auto`: as the model's tokenizer does it; Gemma always, as it writes nonsense without.
    With `chat` the prompt is the user's turn of the model's chat template.
    """

    def __init__(self, name: str, tokenizer: Any, config: Any, *, chat: bool, bos: str) -> None:
        if bos not in ("auto", "yes", "no"):
            raise UsageError(f"bos must be auto, yes or no, not '{bos}'")
        if chat and not tokenizer.chat_template:
            raise TerminalError(f"'{name}' has no chat template; leave --chat out")
        if bos == "yes" and tokenizer.bos_token_id is None:
            raise UsageError(f"bos=yes, but '{name}' has no BOS token; leave it out")
        self._name = name
        self._tokenizer = tokenizer
        self._known = config.get_text_config().vocab_size
        self._chat = chat
        begun = tokenizer("a")["input_ids"][:1] == [tokenizer.bos_token_id] or "gemma" in config.model_type
        self._bos = not chat and tokenizer.bos_token_id is not None and (bos == "yes" or (bos == "auto" and begun))
        self.settings: Mapping[str, str] = {
            "bos": "template" if chat else "yes" if self._bos else "no",
            "chat": "yes" if chat else "no",
        }

    def encode(self, prompt: str) -> tuple[int, ...]:
        if self._chat:
            turns = [{"role": "user", "content": prompt}]
            text = self._tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=False)
            return tuple(self._ids(text))
        return (*self.begin, *self._ids(prompt))

    @property
    def begin(self) -> tuple[int, ...]:
        """What stands before tokens that are read as they are. Raises UsageError with a chat template, which is around
        text."""
        if self._chat:
            raise UsageError(
                f"a chat template is around text, and '{self._name}' goes on from tokens; leave --chat out"
            )
        return (self._tokenizer.bos_token_id,) if self._bos else ()

    def encode_pair(self, prompt: str, completion: str) -> tuple[list[int], list[int]]:
        """The tokens of a prompt, and those that a completion adds: of both together, cut at the prompt's length."""
        before = list(self.encode(prompt))
        if self._chat:
            return before, self._ids(completion)
        whole = list(self.encode(prompt + completion))
        return whole[: len(before)], whole[len(before) :]

    @property
    def begins_with_bos(self) -> bool:
        """Whether the model reads the token BOS before a prompt, ours or the chat template's."""
        return self._bos or (self._chat and self.encode("")[:1] == (self._tokenizer.bos_token_id,))

    def scored_bytes(self, prompt: str) -> int | None:
        """How many bytes those of a prompt's tokens stand for that have another before them: all but the first's where
        there is no BOS. None where it cannot be told, as a template is around it, or the tokenizer does not say where a
        token ends."""
        if self._bos:
            return len(prompt.encode())
        if self._chat or not self._tokenizer.is_fast:
            return None
        places = self._tokenizer(prompt, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
        return len(prompt[places[0][1] if places else 0 :].encode())

    def encode_text(self, text: str) -> list[int]:
        """The tokens of a text by itself, without BOS or EOS."""
        return self._ids(text)

    def decode(self, tokens: Sequence[int], stop: Sequence[str] = ()) -> str:
        """The text of a completion, up to the first stop string."""
        text: str = self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        found = [place for one in stop if (place := text.find(one)) >= 0]
        return text[: min(found)] if found else text

    def stops(self, stop: Sequence[str]) -> Callable[[Sequence[int]], bool]:
        """Whether tokens that had no stop string before their last one have one now."""
        reach = max(len(one.encode()) for one in stop) + 8  # a token has a byte or more

        def found(tokens: Sequence[int]) -> bool:
            text = self._tokenizer.decode(tokens[-reach:], clean_up_tokenization_spaces=False)
            return any(one in text for one in stop)

        return found

    def _ids(self, text: str) -> list[int]:
        """Raises TerminalError for a token that the model does not know, as an embedding of it is not to be had."""
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        if beyond := [one for one in ids if one >= self._known]:
            token = self._tokenizer.convert_ids_to_tokens(beyond[0])
            raise TerminalError(
                f"the tokenizer of '{self._name}' gives '{token}' the id {beyond[0]}, and the model knows "
                f"{self._known}; give it the tokenizer that it was trained with, or resize its embeddings"
            )
        return ids
