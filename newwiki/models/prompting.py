"""Convert prompts to token ids and token ids to text: BOS, chat templates, stop strings."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from newwiki.errors import TerminalError, UsageError


class Prompting:
    """The input format of a model. `settings` describes it, as part of what identifies a run.

    `bos` is `yes`, `no`, or `auto`: as the model's tokenizer does it, but always for Gemma, which writes nonsense
    without it. With `chat` the prompt is the user's turn of the model's chat template.
    """

    def __init__(self, name: str, tokenizer: Any, config: Any, *, chat: bool, bos: str) -> None:
        if bos not in ("auto", "yes", "no"):
            raise UsageError(f"bos must be auto, yes or no, not '{bos}'")
        if chat and not tokenizer.chat_template:
            raise TerminalError(f"'{name}' has no chat template; omit --chat")
        if bos == "yes" and tokenizer.bos_token_id is None:
            raise UsageError(f"bos=yes, but '{name}' has no BOS token; omit bos")
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
        """The tokens before tokens that are read unchanged. Raises UsageError with a chat template, which can only wrap
        text."""
        if self._chat:
            raise UsageError(f"a chat template wraps text, but '{self._name}' has to continue from tokens; omit --chat")
        return (self._tokenizer.bos_token_id,) if self._bos else ()

    def encode_pair(self, prompt: str, completion: str) -> tuple[list[int], list[int]]:
        """Return the tokens of a prompt, and those that a completion adds: encoded together, cut at the prompt's
        end."""
        before = list(self.encode(prompt))
        if self._chat:
            return before, self._ids(completion)
        whole = list(self.encode(prompt + completion))
        return whole[: len(before)], whole[len(before) :]

    @property
    def begins_with_bos(self) -> bool:
        """Whether the model reads a BOS token before a prompt, ours or the chat template's."""
        return self._bos or (self._chat and self.encode("")[:1] == (self._tokenizer.bos_token_id,))

    def scored_bytes(self, prompt: str) -> int | None:
        """Return the number of bytes of a prompt's scored tokens: all tokens, except the first if there is no BOS. None
        if it is unknown, because of a chat template or a tokenizer that does not report token boundaries."""
        if self._bos:
            return len(prompt.encode())
        if self._chat or not self._tokenizer.is_fast:
            return None
        places = self._tokenizer(prompt, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
        return len(prompt[places[0][1] if places else 0 :].encode())

    def encode_text(self, text: str) -> list[int]:
        """Return the tokens of a text by itself, without BOS or EOS."""
        return self._ids(text)

    def decode(self, tokens: Sequence[int], stop: Sequence[str] = ()) -> str:
        """Return the text of a completion, up to the first stop string."""
        text: str = self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        ends = [place for string in stop if (place := text.find(string)) >= 0]
        return text[: min(ends)] if ends else text

    def stops(self, stop: Sequence[str]) -> Callable[[Sequence[int]], bool]:
        """Return a function that tells whether the last of the tokens completed a stop string."""
        reach = max(len(string.encode()) for string in stop) + 8  # a token has a byte or more

        def completed(tokens: Sequence[int]) -> bool:
            text = self._tokenizer.decode(tokens[-reach:], clean_up_tokenization_spaces=False)
            return any(string in text for string in stop)

        return completed

    def _ids(self, text: str) -> list[int]:
        """Encode text. Raises TerminalError for a token id that the model has no embedding for."""
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        if beyond := [token_id for token_id in ids if token_id >= self._known]:
            token = self._tokenizer.convert_ids_to_tokens(beyond[0])
            raise TerminalError(
                f"the tokenizer of '{self._name}' maps '{token}' to the id {beyond[0]}, but the model's vocabulary has "
                f"{self._known} entries; use the tokenizer that it was trained with, or resize its embeddings"
            )
        return ids
