"""Convert prompts to token ids and token ids to text: BOS, chat templates, the thinking, stop strings."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from newwiki.errors import TerminalError, UsageError
from newwiki.models.chat_options import ChatOptions
from newwiki.models.chat_template import ChatTemplate
from newwiki.models.thinking import Split, ThinkingMarks, recognized


class Prompting:
    """The input format of a model. `settings` describes it, as part of what identifies a run.

    `bos` is `yes`, `no`, or `auto`: as the model's tokenizer or chat template does it, but always for Gemma, which
    writes nonsense without it. With `chat` the prompt is the user's turn of the model's chat template.

    `marks` are those of the model's thinking, if it can think in this chat. `thinks_first` tells whether it may think
    before its answer; if not, its answer follows the prompt at once.
    """

    def __init__(
        self, name: str, tokenizer: Any, config: Any, *, chat: bool, bos: str, options: ChatOptions | None = None
    ) -> None:
        if bos not in ("auto", "yes", "no"):
            raise UsageError(f"bos must be auto, yes or no, not '{bos}'")
        if bos == "yes" and tokenizer.bos_token_id is None:
            raise UsageError(f"bos=yes, but '{name}' has no BOS token; omit bos")
        self._name = name
        self._tokenizer = tokenizer
        self._known = config.get_text_config().vocab_size
        self.options = options or ChatOptions()
        self.template = ChatTemplate(name, tokenizer, self.options) if chat else None
        adds_bos = tokenizer("a")["input_ids"][:1] == [tokenizer.bos_token_id] or "gemma" in config.model_type
        self._bos = tokenizer.bos_token_id is not None and (bos == "yes" or (bos == "auto" and adds_bos and not chat))
        self.marks: ThinkingMarks | None = None
        self.thinks_first = self.opened = False
        self._switch: dict[str, bool] = {}
        if self.template:
            self._recognize_thinking(self.template, config.model_type)
        self.settings: Mapping[str, str] = {
            "bos": "template" if chat and not self._bos else "yes" if self._bos else "no",
            "chat": "yes" if chat else "no",
            **(self._chat_settings(self.template) if self.template else {}),
        }

    def encode(self, prompt: str, begun: str = "") -> tuple[int, ...]:
        """Return the tokens of a prompt, up to the model's thinking if it `thinks_first`, or else up to its answer,
        which begins with `begun`."""
        if self.template is None:
            return (*self.begin, *self._ids(prompt))
        ids = self._ids(self.rendered(prompt, begun))
        lacks_bos = self._bos and ids[:1] != [self._tokenizer.bos_token_id]
        return (self._tokenizer.bos_token_id, *ids) if lacks_bos else tuple(ids)

    def rendered(self, prompt: str, begun: str = "") -> str:
        """Return the text of a chat prompt, as `encode` turns it into tokens."""
        assert self.template
        if self.marks is None:
            return self.template.render(prompt, begun)
        chat = self.template.render(prompt, arguments=self._switch)
        return chat if self.thinks_first or not begun else chat + self.marks.answer_open + begun

    @property
    def begin(self) -> tuple[int, ...]:
        """The tokens before tokens that are read unchanged. Raises UsageError with a chat template, which can only wrap
        text."""
        if self.template:
            raise UsageError(f"a chat template wraps text, but '{self._name}' has to continue from tokens; omit --chat")
        return (self._tokenizer.bos_token_id,) if self._bos else ()

    def encode_pair(self, prompt: str, completion: str, begun: str = "") -> tuple[list[int], list[int]]:
        """Return the tokens of a prompt, and those that a completion adds: encoded together, cut at the prompt's
        end. In a chat, `begun` begins the answer."""
        before = list(self.encode(prompt, begun))
        if self.template:
            return before, self._ids(completion)
        whole = list(self.encode(prompt + completion))
        return whole[: len(before)], whole[len(before) :]

    @property
    def begins_with_bos(self) -> bool:
        """Whether the model reads a BOS token before a prompt, ours or the chat template's."""
        return self._bos or (self.template is not None and self.encode(".")[:1] == (self._tokenizer.bos_token_id,))

    def scored_bytes(self, prompt: str) -> int | None:
        """Return the number of bytes of a prompt's scored tokens: all tokens, except the first if there is no BOS. None
        if it is unknown, because of a chat template or a tokenizer that does not report token boundaries."""
        if self.template:
            return None
        if self._bos:
            return len(prompt.encode())
        if not self._tokenizer.is_fast:
            return None
        places = self._tokenizer(prompt, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
        return len(prompt[places[0][1] if places else 0 :].encode())

    def encode_text(self, text: str) -> list[int]:
        """Return the tokens of a text by itself, without BOS or EOS."""
        return self._ids(text)

    def decode(self, tokens: Sequence[int], stop: Sequence[str] = ()) -> str:
        """Return the text of a completion, up to the first stop string: its answer, without thinking."""
        return self.split(tokens, stop, opened=self.opened).answer

    def split(self, tokens: Sequence[int], stop: Sequence[str] = (), *, opened: bool = False) -> Split:
        """Split the tokens that a model wrote into its thinking, perhaps `opened` by the prompt, and its answer, up to
        the first stop string."""
        text: str = self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        thinking, no_answer = None, None
        if self.marks:
            whole = self.raw(tokens)
            if opened or any(mark and mark in whole for mark in self._all_marks(self.marks)):
                parts = self.marks.split(whole, opened=opened)
                thinking = None if parts.thinking is None else self._without_special(parts.thinking)
                text, no_answer = self._without_special(parts.answer), parts.no_answer
            text = text.lstrip()
        ends = [place for string in stop if (place := text.find(string)) >= 0]
        return Split(thinking, text[: min(ends)] if ends else text, no_answer)

    def raw(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens, with the special ones."""
        text: str = self._tokenizer.decode(tokens, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return text

    def stops(self, stop: Sequence[str]) -> Callable[[Sequence[int]], bool]:
        """Return a function that tells whether the last of the tokens completed a stop string."""
        reach = max(len(string.encode()) for string in stop) + 8  # a token has a byte or more

        def completed(tokens: Sequence[int]) -> bool:
            text = self.raw(tokens[-reach:])
            return any(string in text for string in stop)

        return completed

    def end_tokens(self, configured: Collection[int], eos: Collection[int]) -> frozenset[int]:
        """Return the tokens that end a text: those that are `configured` for generation, and those of the model's
        configuration (`eos`), the tokenizer and the chat template, if the tokenizer knows them as special."""
        special = {*self._tokenizer.all_special_ids, *self._tokenizer.added_tokens_decoder}
        others = {*eos, self._tokenizer.eos_token_id, self.template.end_of_turn() if self.template else None}
        return frozenset({*configured, *(others & special)})

    def _recognize_thinking(self, template: ChatTemplate, model_type: str) -> None:
        marks = recognized(self.options.families, template.text, self._tokenizer.get_added_vocab(), model_type)
        wish = self.options.thinking
        if marks is None:
            if wish == "on":
                raise TerminalError(
                    f"'{self._name}' has no marks of thinking that newwiki knows; omit --thinking on, or describe its "
                    "marks with --thinking-markers FILE.toml"
                )
            return
        switches = [name for name in marks.switches if template.has_argument(name)]
        if wish != "auto":
            self._switch = dict.fromkeys(switches, wish == "on")
        chat = template.render(".", arguments=self._switch).rstrip()
        self.marks, self.opened = marks, chat.endswith(marks.open.rstrip())
        closed = chat.endswith(marks.close.rstrip())
        if wish == "off" and (self.opened or not (switches or closed)):
            raise TerminalError(
                f"the chat template of '{self._name}' has no switch that turns the thinking off; omit --thinking off, "
                "or see --system and --chat-template-args"
            )
        self.thinks_first = wish != "off" and not closed

    def _chat_settings(self, template: ChatTemplate) -> dict[str, str]:
        template.render(".")
        return {**self.options.settings, **({"date": template.day.isoformat()} if template.uses_date else {})}

    @staticmethod
    def _all_marks(marks: ThinkingMarks) -> tuple[str, ...]:
        return marks.open, marks.close, marks.answer_open, marks.answer_close

    def _without_special(self, text: str) -> str:
        for token in self._tokenizer.all_special_tokens:
            text = text.replace(token, "")
        return text

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
