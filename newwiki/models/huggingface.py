"""Run causal language models from a local folder or the Hugging Face hub, through transformers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from newwiki.decoding.grammar import Decoder
from newwiki.decoding.stream import Ending, LookAhead, Search, Stream
from newwiki.errors import TerminalError
from newwiki.models.backend import TokenContext, Writing, model
from newwiki.models.chat_options import CHAT_ARGUMENTS, read_chat_options
from newwiki.models.checkpoint import find
from newwiki.models.loading import load
from newwiki.models.local import flag
from newwiki.models.prompt_sheet import PromptSheet
from newwiki.models.prompting import Prompting
from newwiki.models.thinking_model import ThinkingModel
from newwiki.records import Completion, Likelihood, Passage, Prompt, Reading, Unscorable
from newwiki.registry import decoders
from newwiki.text.prompts import continued

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from newwiki.models.engine.likelihood import TokenLikelihoods
    from newwiki.models.engine.loop import Engine
    from newwiki.models.engine.reader import Reader
    from newwiki.models.engine.replay import TokenVerdicts
    from newwiki.models.engine.selftest import ModelPath

# The assumed rounding error of a logit, as a share of the largest logit's size. The largest error that was measured in
# float32 is 4.5e-6 on a GPU and 2.3e-6 on a CPU.
FLOAT32_SLACK = 2e-5


@model("hf")
class HuggingFaceModel(ThinkingModel):
    """A checkpoint in the format of `save_pretrained`, with weights in safetensors. `auto` computes in float32.

    In float32 no completion depends on the batch. In half precision, rounding is too coarse to settle: on a CPU nothing
    depends on the batch either; on a GPU some completions do. A model whose state does not fit into slots is read with
    its own cache object, one completion per pass (`path` in its settings), so nothing depends on the batch there.
    """

    backend = "hf"
    chat_arguments = CHAT_ARGUMENTS
    arguments = ("chat", "bos", *CHAT_ARGUMENTS)

    def __init__(self, name: str, *, chat: str = "no", bos: str = "auto", **loading: str) -> None:
        self._paths: dict[Any, ModelPath] = {}  # by model
        about_chat = {key: loading.pop(key) for key in CHAT_ARGUMENTS if key in loading}
        options = read_chat_options(chat=flag("chat", chat), **about_chat)
        super().__init__(name, **loading)
        config = self._model.config
        self._prompting = Prompting(name, self._tokenizer, config, chat=flag("chat", chat), bos=bos, options=options)
        own_cache = {"path": "own-cache"} if self._paths[self._model].own_cache else {}
        self.settings: Mapping[str, str] = {**self._prompting.settings, **self._token_settings(), **own_cache}
        self.prompt_sheet = PromptSheet(self._prompting, self._tokenizer, self._end_tokens())
        self._others: dict[str, tuple[str, Any]] = {}
        self._reads = False  # whether its article reading has been checked

    def others(self, decoder: Decoder) -> Mapping[str, str]:
        self._refuse(decoder)
        name = decoder.parameters.get("amateur")
        return {} if name is None else {"amateur": self._amateur(str(name))[0]}

    def complete(
        self, requests: Sequence[tuple[Prompt, int]], decoder: Decoder, writing: Writing
    ) -> Iterator[list[Completion]]:
        """Yield completions. Raises TerminalError: at once for a prompt that does not fit; during generation for NaN
        logits, and if not even one completion's rows fit into memory."""
        read = self._read_for(decoder)
        if self._prompting.thinks_first:
            return self._after_thinking(requests, decoder, writing, read=read, slack=FLOAT32_SLACK)
        streams = self._streams(requests, writing.max_new_tokens, read)
        return self._run(streams, decoder, writing, read=read, slack=FLOAT32_SLACK)

    def replay(
        self, written: Sequence[tuple[Prompt, Completion]], decoder: Decoder, writing: Writing, tolerance: float
    ) -> "Iterator[TokenVerdicts]":
        read = self._read_for(decoder)
        texts = (self._passages(prompt, completion, writing, read) for prompt, completion in written)
        return self._replayed(texts, decoder, writing, read=read, tolerance=tolerance)

    def likelihoods(self, pairs: Sequence[tuple[str, str]], window: int | None = None) -> Iterator[Likelihood]:
        """Yield the token likelihoods of the completions in (prompt, completion) pairs, in order.

        Reads at most `window` tokens, prompt included, and at most the model's context length.
        """
        from newwiki.models.engine.likelihood import log_probabilities

        for prompt, completion in pairs:
            before, after = self._prompting.encode_pair(prompt, completion)
            limits = [limit for limit in (self._context(self._model), window) if limit is not None]
            kept = after[: max(0, min(limits) - len(before))] if limits else after
            yield Likelihood(tuple(log_probabilities(self._model, before, kept)), truncated=len(kept) < len(after))

    @cached_property
    def vocabulary(self) -> Sequence[int]:
        special = set(self._tokenizer.all_special_ids)
        known = min(len(self._tokenizer), self._model.config.get_text_config().vocab_size)
        return [token for token in range(known) if token not in special]

    def tokens(self, text: str) -> list[int]:
        return self._prompting.encode_text(text)

    def text(self, tokens: Sequence[int]) -> str:
        return self._prompting.decode(tokens)

    def continuations(
        self, contexts: Sequence[TokenContext], decoder: Decoder, writing: Writing
    ) -> Iterator[list[tuple[TokenContext, tuple[int, ...]]]]:
        begin = self._prompting.begin
        self._require_room(max((len(context.tokens) + context.room for context in contexts), default=0) + len(begin))
        streams = [
            Stream(context.page_id, context.sample, (*begin, *context.tokens), context.room, seed=context.seed)
            for context in contexts
        ]
        by_key = {_key(stream): context for stream, context in zip(streams, contexts, strict=True)}
        ending = Ending(frozenset(), None, self._ending(writing).sentence)
        read = self._read_for(decoder)
        written = self._written(streams, decoder, writing, ending, read=read, slack=FLOAT32_SLACK)
        return ([(by_key[_key(stream)], tuple(made.tokens)) for stream, made in batch] for batch in written)

    def next_probabilities(self, sequences: Sequence[Sequence[int]], places: Sequence[int]) -> "NDArray[np.float32]":
        from newwiki.models.engine.likelihood import next_probabilities
        from newwiki.models.engine.memory import fits_into_memory

        self._require_reading()
        begin = self._prompting.begin
        self._require_room(max(places) + len(begin))
        read = [[*begin, *tokens[: max(places)]] for tokens in sequences]
        with fits_into_memory("a batch of texts"):
            return next_probabilities(self._model, read, [len(begin) + place for place in places])

    def _require_reading(self) -> None:
        from newwiki.models.engine.likelihood import check_likelihoods

        if not self._reads:
            check_likelihoods(self._model)
            self._reads = True

    def _require_room(self, tokens: int) -> None:
        context = self._context(self._model)
        if context is not None and tokens > context:
            raise TerminalError(
                f"'{self.name}' would have to read {tokens} tokens, but its context length is {context}; request "
                "shorter texts, or choose a model with a longer context"
            )

    @property
    def reading(self) -> Mapping[str, str]:
        """How articles are read: the window, in tokens, and the model's context length."""
        return {"window": str(self._window()), "model_context": str(self._context(self._model) or "unlimited")}

    def readings(self, pairs: Sequence[tuple[Prompt, str]], *, standardised: bool) -> list[Reading]:
        """Score articles, given as (prompt, rest) pairs. Pairs passed together are read together, so other pairs, or
        another order, change the numbers by rounding."""
        from newwiki.models.engine.likelihood import read_texts
        from newwiki.models.engine.memory import fits_into_memory

        if self._prompting.thinks_first:
            unread = Unscorable("the model thinks before it answers, so no probability of an answer is known")
            return [Reading(unread, unread)] * len(pairs)
        self._require_reading()
        texts = [
            continued(prompt.begun or prompt.text, rest) if self._continues(prompt) else rest for prompt, rest in pairs
        ]
        encoded = [
            self._prompting.encode_pair(prompt.text, text, prompt.begun)
            for (prompt, _), text in zip(pairs, texts, strict=True)
        ]
        whole, bos = [[*before, *after] for before, after in encoded], self._prompting.begins_with_bos
        with fits_into_memory("a window of an article"):
            read = read_texts(self._model, whole, self._window(), bos=bos, standardised=standardised)
        return [
            _reading(scores, len(before), self._prompting.scored_bytes(prompt.text), len(text.encode()))
            for scores, (before, _), (prompt, _), text in zip(read, encoded, pairs, texts, strict=True)
        ]

    def _continues(self, prompt: Prompt) -> bool:
        """Tell whether a text continues the prompt, and is not a turn of its own."""
        return bool(prompt.begun) or self._prompting.template is None

    def _window(self) -> int:
        from newwiki.models.engine.reading_windows import LONGEST

        return min(self._context(self._model) or LONGEST, LONGEST)

    def _loaded(self, checkpoint: Any) -> tuple[Any, Any]:
        loaded, tokenizer = load(checkpoint, self.dtype, self._device)

        from newwiki.models.engine.packed import use_fast_kernels
        from newwiki.models.engine.selftest import path_of

        use_fast_kernels(loaded)
        self._paths[loaded] = path_of(loaded)
        return loaded, tokenizer

    def _engine(self, search: Search, read: Sequence[Any]) -> "tuple[type[Engine], Callable[[Any, int], Reader]]":
        from newwiki.models.engine.look_ahead import engine_for
        from newwiki.models.engine.own_cache import OwnCacheEngine
        from newwiki.models.engine.reader import Reader

        if any(self._paths[model].own_cache for model in read):
            return OwnCacheEngine, self._reader
        return engine_for(search), Reader

    def _reader(self, model: Any, rows: int) -> "Reader":
        from newwiki.models.engine.own_cache import OwnCacheReader
        from newwiki.models.engine.reader import Reader

        path = self._paths[model]
        return OwnCacheReader(model, rows, join=path.joined) if path.own_cache else Reader(model, rows)

    def _rows_that_fit(self, model: Any, length: int, memory: int | None) -> int:
        from newwiki.models.engine.memory import rows_that_fit
        from newwiki.models.engine.own_cache import OwnCacheReader

        if not self._paths[model].own_cache:
            return rows_that_fit(model, length, memory)
        return rows_that_fit(model, length, memory, OwnCacheReader(model, 1, join=False).bytes_per_row(length))

    def _read_for(self, decoder: Decoder) -> list[Any]:
        """Return the model, and the decoder's amateur if it has one. Raises TerminalError."""
        self._refuse(decoder)
        amateur = decoder.parameters.get("amateur")
        return [self._model, *([] if amateur is None else [self._amateur(str(amateur))[1]])]

    def _refuse(self, decoder: Decoder) -> None:
        search = decoders.get(decoder.name).search(decoder)
        if self._paths[self._model].own_cache and isinstance(search, LookAhead):
            raise TerminalError(
                f"'{self.name}' ({type(self._model).__name__}) is read with its own cache object, token by token, but "
                f"{decoder.name} reads several candidates at once; choose another decoder or model"
            )

    def _amateur(self, name: str) -> tuple[str, Any]:
        if name not in self._others:
            checkpoint = find(name, "main", self._trust)
            loaded, tokenizer = self._loaded(checkpoint)
            if tokenizer.get_vocab() != self._tokenizer.get_vocab():
                raise TerminalError(
                    f"the amateur '{name}' has a different tokenizer from '{self.name}', so their probabilities "
                    "cannot be compared; choose a smaller model of the same family"
                )
            self._others[name] = (checkpoint.sha256, loaded)
        return self._others[name]

    def _context(self, loaded: Any) -> int | None:
        from newwiki.models.engine.rotary import context

        return context(loaded)


def _key(stream: Stream) -> tuple[int | None, int, int, tuple[int, ...], int]:
    """Return what identifies a stream: a copy that restarts after running out of memory has the same key."""
    return stream.seed, stream.page_id, stream.sample, stream.prompt, stream.room


def _reading(read: "TokenLikelihoods", prompt_tokens: int, prompt_bytes: int | None, rest_bytes: int) -> Reading:
    """Split the scores of a text where its prompt ends. The text's first token has no score and is not counted."""
    border = max(prompt_tokens - 1, 0)
    if prompt_bytes is None:
        prompt: Passage | Unscorable = Unscorable("it is not known which bytes of the prompt the model has read")
    else:
        prompt = Passage(tuple(read.log_probabilities[:border]), prompt_bytes)
    after, deviations = tuple(read.log_probabilities[border:]), tuple(read.standardised[border:])
    return Reading(prompt, Passage(after, rest_bytes, deviations))
