"""Causal language models from a local folder or the Hugging Face hub, through transformers."""

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from newwiki.decoding.grammar import Decoder
from newwiki.decoding.stream import Ending, Hypothesis, Stream
from newwiki.errors import TerminalError, UsageError
from newwiki.models.backend import Writing, model
from newwiki.models.checkpoint import Trust, find, load
from newwiki.models.prompting import Prompting
from newwiki.records import Completion, FinishReason, Likelihood, Prompt
from newwiki.registry import decoders

_DTYPES = ("auto", "float32", "bfloat16", "float16")
# A logit's rounding error, as a share of the largest logit's size; measured errors in float32 stay twenty times below.
FLOAT32_SLACK = 2e-5


@model("hf")
class HuggingFaceModel:
    """A checkpoint as `save_pretrained` leaves it, weights in safetensors. `auto` computes in float32.

    In float32 no completion depends on the batch. In half precision rounding is too coarse to settle: on a CPU nothing
    depends on the batch either, on a GPU some completions do.
    """

    backend = "hf"

    def __init__(
        self,
        name: str,
        *,
        dtype: str = "auto",
        device: str = "auto",
        revision: str = "main",
        allow_pickle: str = "no",
        trust_remote_code: str = "no",
        chat: str = "no",
        bos: str = "auto",
    ) -> None:
        if dtype not in _DTYPES:
            raise UsageError(f"there is no dtype '{dtype}'; there are: {', '.join(_DTYPES)}")
        self.name = name
        self.dtype = "float32" if dtype == "auto" else dtype
        self._device = device
        self._trust = Trust(_flag("allow_pickle", allow_pickle), _flag("trust_remote_code", trust_remote_code))
        checkpoint = find(name, revision, self._trust)
        self.sha256 = checkpoint.sha256
        self._model, self._tokenizer = self._loaded(checkpoint)
        self._prompting = Prompting(name, self._tokenizer, self._model.config, chat=_flag("chat", chat), bos=bos)
        self.settings: Mapping[str, str] = self._prompting.settings
        self.versions: Mapping[str, str] = {
            **{package: version(package) for package in ("newwiki-eval", "torch", "transformers", "tokenizers")},
            "device": _device_name(self._model.device),
            **({"revision": checkpoint.revision} if checkpoint.revision else {}),
        }
        self._others: dict[str, tuple[str, Any]] = {}
        self._rows: int | None = None

    def others(self, decoder: Decoder) -> Mapping[str, str]:
        name = decoder.parameters.get("amateur")
        return {} if name is None else {"amateur": self._amateur(str(name))[0]}

    def complete(
        self, requests: Sequence[tuple[Prompt, int]], decoder: Decoder, writing: Writing
    ) -> Iterator[list[Completion]]:
        """Raises TerminalError: at once for a prompt that does not fit, on the way for logits that are not numbers and
        where not even one completion's rows fit into memory."""
        from newwiki.models.engine.engines import engine_for
        from newwiki.models.engine.loop import Rules
        from newwiki.models.engine.memory import is_out_of_memory
        from newwiki.models.engine.reader import Reader

        search = decoders.get(decoder.name).search(decoder)
        amateur = decoder.parameters.get("amateur")
        read = [self._model, *([] if amateur is None else [self._amateur(str(amateur))[1]])]
        streams = self._streams(requests, writing, read)
        rules = Rules(
            self._ending(writing),
            writing.seed,
            FLOAT32_SLACK if self.dtype == "float32" and not writing.strict else 0.0,
            int(decoder.parameters["no_repeat_ngram_size"]),
            str(decoder.parameters.get("amateur_context", "full")),
        )
        rows = search.width if writing.strict else writing.batch_size or self._auto(read, streams)

        def halved(to: int) -> None:
            self._rows = to
            writing.note(f"out of memory: going on with {to} rows at a time")

        engine = engine_for(search)([Reader(one, rows) for one in read], search, rules, rows=rows, on_halved=halved)

        def completions() -> Iterator[list[Completion]]:
            try:
                for batch in engine.run(streams):
                    yield [self._completion(stream, written, writing) for stream, written in batch]
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                raise TerminalError(
                    f"one completion under '{decoder.short}' does not fit into memory; lower --max-new-tokens, take "
                    "dtype bfloat16, or a machine with more memory"
                ) from error

        return completions()

    def likelihoods(self, pairs: Sequence[tuple[str, str]]) -> Iterator[Likelihood]:
        """How likely each completion of (prompt, completion) pairs is, token by token, in the order of the pairs."""
        from newwiki.models.engine.likelihood import log_probabilities

        for prompt, completion in pairs:
            before, after = self._prompting.encode_pair(prompt, completion)
            context = self._context(self._model)
            kept = after if context is None else after[: max(0, context - len(before))]
            yield Likelihood(tuple(log_probabilities(self._model, before, kept)), truncated=len(kept) < len(after))

    def _loaded(self, checkpoint: Any) -> tuple[Any, Any]:
        loaded, tokenizer = load(checkpoint, self.dtype, self._device)

        from newwiki.models.engine.attention import use_cached_attention
        from newwiki.models.engine.packed import pack_linear_layers
        from newwiki.models.engine.selftest import check_reading

        pack_linear_layers(loaded)
        use_cached_attention(loaded)
        check_reading(loaded)
        return loaded, tokenizer

    def _amateur(self, name: str) -> tuple[str, Any]:
        if name not in self._others:
            checkpoint = find(name, "main", self._trust)
            loaded, tokenizer = self._loaded(checkpoint)
            if tokenizer.get_vocab() != self._tokenizer.get_vocab():
                raise TerminalError(
                    f"the amateur '{name}' has another tokenizer than '{self.name}', so their probabilities cannot be "
                    "compared; choose a smaller model of the same family"
                )
            self._others[name] = (checkpoint.sha256, loaded)
        return self._others[name]

    def _streams(self, requests: Sequence[tuple[Prompt, int]], writing: Writing, read: Sequence[Any]) -> list[Stream]:
        contexts = [context for one in read if (context := self._context(one)) is not None]
        encoded = {prompt: self._prompting.encode(prompt.text) for prompt, _ in requests}
        for prompt, tokens in encoded.items():
            if contexts and len(tokens) >= min(contexts):
                raise TerminalError(
                    f"the prompt of page {prompt.page_id} has {len(tokens)} tokens and leaves no room in the model's "
                    f"context of {min(contexts)}; choose a model with a longer context, or a shorter --template"
                )
        most = writing.max_new_tokens
        rooms = {prompt: min([most, *(one - len(tokens) for one in contexts)]) for prompt, tokens in encoded.items()}
        return [Stream(prompt.page_id, sample, encoded[prompt], rooms[prompt]) for prompt, sample in requests]

    def _ending(self, writing: Writing) -> Ending:
        from newwiki.decoding.sentence_end import SentenceEnd

        stops = self._prompting.stops(writing.stop) if writing.stop else None
        return Ending(self._end_tokens(), stops, SentenceEnd(self._tokenizer))

    def _auto(self, read: Sequence[Any], streams: Sequence[Stream]) -> int:
        from newwiki.models.engine.memory import rows_that_fit

        if self._rows is None:
            length = max((len(stream.prompt) + stream.room for stream in streams), default=1)
            self._rows = min(rows_that_fit(one, length) for one in read)
        return self._rows

    def _completion(self, stream: Stream, written: Hypothesis, writing: Writing) -> Completion:
        text = self._prompting.decode(written.tokens, writing.stop)
        full: FinishReason = "length" if len(written.tokens) == writing.max_new_tokens else "context"
        reason: FinishReason = "stop" if written.ended else full
        return Completion(
            stream.page_id, stream.sample, text, len(written.tokens), len(text.split()), reason, reason != "stop"
        )

    def _end_tokens(self) -> frozenset[int]:
        configured = self._model.generation_config.eos_token_id
        if configured is None:
            configured = self._tokenizer.eos_token_id
        return frozenset([configured] if isinstance(configured, int) else configured or [])

    @staticmethod
    def _context(loaded: Any) -> int | None:
        return getattr(loaded.config.get_text_config(), "max_position_embeddings", None)


def _flag(name: str, text: str) -> bool:
    if text.lower() not in ("yes", "no", "true", "false"):
        raise UsageError(f"{name} must be yes or no, not '{text}'")
    return text.lower() in ("yes", "true")


def _device_name(device: Any) -> str:
    import torch

    return f"{device} ({torch.cuda.get_device_name(device)})" if device.type == "cuda" else str(device)
