"""The shared part of the backends that load a checkpoint with transformers and run it here."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from newwiki.decoding.each_token import EachToken
from newwiki.decoding.grammar import Decoder
from newwiki.decoding.stream import Ending, Hypothesis, Search, Stream
from newwiki.errors import TerminalError, UsageError
from newwiki.models import quantised
from newwiki.models.backend import NUMERICS, Writing
from newwiki.models.checkpoint import Checkpoint, Trust, find, has_tokenizer
from newwiki.models.prompting import Prompting
from newwiki.records import Completion, FinishReason, Prompt
from newwiki.registry import decoders
from newwiki.text.words import split_words
from newwiki.training import steps

if TYPE_CHECKING:
    from newwiki.models.engine.batch_size import BatchSize
    from newwiki.models.engine.loop import Done, Engine, Rules
    from newwiki.models.engine.reader import Reader
    from newwiki.models.engine.replay import TokenVerdicts

version = cache(metadata.version)  # reads and parses a file

# A stream, the tokens after its prompt, and those one of which ended it, or none
Passage = tuple[Stream, Sequence[int], Collection[int]]

_DTYPES = ("auto", "float32", "bfloat16", "float16")


class LocalModel(ABC):
    """A loaded checkpoint. The dtype `auto` is float32. `arguments` are those that only this backend takes."""

    backend: str
    arguments: ClassVar[tuple[str, ...]] = ()
    numerics = NUMERICS
    _prompting: Prompting

    def __init__(self, name: str, *, dtype: str = "auto", device: str = "auto", **origin: str) -> None:
        checkpoint = self.find(name, dtype=dtype, **origin)
        self.name = name
        self.dtype = "float32" if dtype == "auto" else dtype
        self._device = device
        self._trust = checkpoint.trust
        self.training = checkpoint.training
        self.sha256 = checkpoint.sha256
        self.quantised = checkpoint.quantised
        self._takes_tokenizer_json = checkpoint.tokenizer_json
        self._model, self._tokenizer = self._loaded(checkpoint)
        self.versions: Mapping[str, str] = {
            **{package: version(package) for package in ("newwiki-eval", "torch", "transformers", "tokenizers")},
            "device": _device_name(self._model.device),
            **checkpoint.provenance,
            **steps.record_of(checkpoint.folder, checkpoint.training),
            **quantised.versions("gguf" if checkpoint.gguf else self.quantised),
        }
        self._batches: BatchSize | None = None

    @classmethod
    def find(
        cls,
        name: str,
        *,
        dtype: str = "auto",
        revision: str = "main",
        allow_pickle: str = "no",
        trust_remote_code: str = "no",
        device: str = "auto",
        tokenizer: str = "",
        base: str = "",
        tokenizer_json: str = "no",
        **others: str,
    ) -> Checkpoint:
        """Find the files before any is loaded. Raises UsageError for a bad argument, TerminalError for missing
        files."""
        if unknown := sorted(others.keys() - set(cls.arguments)):
            common = (
                "dtype",
                "revision",
                "allow_pickle",
                "trust_remote_code",
                "device",
                "tokenizer",
                "base",
                "tokenizer_json",
            )
            hint = "; arguments of the chat template go to --chat-template-args" if "chat" in cls.arguments else ""
            raise UsageError(
                f"backend '{cls.backend}' does not take the model arguments {', '.join(unknown)}{hint}; "
                f"it takes: {', '.join((*common, *cls.arguments))}"
            )
        if dtype not in _DTYPES:
            raise UsageError(f"there is no dtype '{dtype}'; choose one of: {', '.join(_DTYPES)}")
        trust = Trust(flag("allow_pickle", allow_pickle), flag("trust_remote_code", trust_remote_code))
        checkpoint = replace(find(name, revision, trust, base), tokenizer_json=flag("tokenizer_json", tokenizer_json))
        if not tokenizer:
            return checkpoint
        if not has_tokenizer(Path(tokenizer)):
            raise UsageError(
                f"tokenizer={tokenizer} is not a folder with a tokenizer; name a folder that save_pretrained wrote"
            )
        return replace(checkpoint, tokenizer=Path(tokenizer))

    @abstractmethod
    def _loaded(self, checkpoint: Any) -> tuple[Any, Any]:
        """Return the model, ready to be read by the engine, and its tokenizer. Raises TerminalError."""

    @abstractmethod
    def _engine(self, search: Search, read: Sequence[Any]) -> "tuple[type[Engine], Callable[[Any, int], Reader]]":
        """Return the engine that runs a search with the models in `read`, and a function (model, rows) → reader."""

    def _run(
        self, streams: Sequence[Stream], decoder: Decoder, writing: Writing, *, read: Sequence[Any], slack: float
    ) -> Iterator[list[Completion]]:
        """Yield the completions of streams. `read` holds the models to run; `slack` (see `Rules`) needs float32."""
        written = self._written(streams, decoder, writing, self._ending(writing), read=read, slack=slack)
        return ([self._completion(stream, result, writing) for stream, result in batch] for batch in written)

    def _written(
        self,
        streams: Sequence[Stream],
        decoder: Decoder,
        writing: Writing,
        ending: Ending,
        *,
        read: Sequence[Any],
        slack: float,
    ) -> "Iterator[list[Done]]":
        """Yield the streams with their tokens as they finish."""
        from newwiki.models.engine.batch_size import BatchSize
        from newwiki.models.engine.memory import is_out_of_memory

        if self.quantised and not writing.strict:
            writing.note(
                f"{self.name} is quantized ({self.quantised}), so rounding may make a text depend on its batch; pass "
                "--strict to generate each completion alone"
            )
        search = decoders.get(decoder.name).search(decoder)
        slack = slack if self.dtype == "float32" and not writing.strict else 0.0
        rules = _rules(ending, writing.seed, slack, decoder)
        kind, reader = self._engine(search, read)
        self._batches = self._batches or BatchSize()
        batches = self._batches

        def readers(rows: int) -> "list[Reader]":
            return [reader(model, rows) for model in read]

        def halved(to: int) -> None:
            batches.limit(to)
            writing.note(f"out of memory: continuing with {to} rows at a time")

        if writing.strict:
            rows = search.width
        else:
            length = max((self._length(stream) for stream in streams), default=1)
            fits = min(self._rows_that_fit(model, length, writing.memory) for model in read)
            most = max(1, min(fits, len(streams) * search.width))
            rows = writing.batch_size or batches.auto(read, readers, streams, most, tries=kind.gains_by_rows)
        engine = kind(readers(rows), search, rules, rows=rows, on_halved=halved)

        def written() -> "Iterator[list[Done]]":
            try:
                yield from engine.run(streams)
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                raise TerminalError(
                    f"one completion under '{decoder.short}' does not fit into memory; lower --max-new-tokens, use "
                    "--dtype bfloat16, or use a machine with more memory"
                ) from error

        return written()

    def can_replay(self, decoder: Decoder) -> bool:
        """Tell whether the decoder chooses token by token, so `replay` can check each token."""
        return isinstance(decoders.get(decoder.name).search(decoder), EachToken)

    @abstractmethod
    def replay(
        self, written: Sequence[tuple[Prompt, Completion]], decoder: Decoder, writing: Writing, tolerance: float
    ) -> "Iterator[TokenVerdicts]":
        """Check whether the decoder chose the tokens of completions with known token ids, in order; see
        `engine.replay`. Raises TerminalError if a text does not fit, ValueError for a completion that no decoder can
        have written: its token ids do not match its text, or its finish reason does not match its tokens."""

    def is_text_of(self, completion: Completion, stop: Sequence[str]) -> bool:
        """Tell whether a completion's token ids are valid for the model and decode to its text."""
        ids, known = completion.token_ids, self._model.config.get_text_config().vocab_size
        return (
            ids is not None
            and all(0 <= token < known for token in ids)
            and self._prompting.split(ids, stop).answer == completion.text
        )

    def _replayed(
        self,
        texts: "Iterable[Sequence[Passage]]",
        decoder: Decoder,
        writing: Writing,
        *,
        read: Sequence[Any],
        tolerance: float,
    ) -> "Iterator[TokenVerdicts]":
        """Yield the verdicts on each text, which consists of passages: each with a stream, the tokens after its prompt,
        and the tokens one of which ended it, or none."""
        from newwiki.models.engine.replay import Endless, joined, replay

        search = decoders.get(decoder.name).search(decoder)
        kind, reader = self._engine(search, read)
        rules = _rules(Endless(self._end_tokens()), writing.seed, 0.0, decoder)
        engine = kind([reader(model, 1) for model in read], search, rules, rows=1)
        for passages in texts:
            yield joined(replay(engine, *passage, tolerance) for passage in passages)

    def _passage(self, stream: Stream, completion: Completion, writing: Writing) -> Passage:
        """Return an answer with its stream. Raises ValueError as `replay` does."""
        by_token = self._ended_by_token(stream, completion, writing)
        return stream, completion.token_ids or (), self._end_tokens() if by_token else ()

    def _ended_by_token(self, stream: Stream, completion: Completion, writing: Writing) -> bool:
        """Tell whether an end-of-text token ended a completion. Raises ValueError if its tokens, its text and its
        finish reason contradict each other."""
        ids = completion.token_ids
        if ids is None or not self.is_text_of(completion, writing.stop):
            raise ValueError("its token ids do not match its text")
        if completion.no_answer != self._prompting.split(ids, writing.stop).no_answer:
            raise ValueError("its tokens do not say that it has no answer, or the other way round")
        if set(ids) & self._end_tokens():
            raise ValueError("it continues after an end-of-text token")
        stops = self._prompting.stops(writing.stop) if writing.stop else None
        places = [place for place in range(1, len(ids) + 1) if stops and stops(ids[:place])]
        if places[:1] not in ([], [len(ids)]):
            raise ValueError("it continues after a stop string")
        if places or completion.finish_reason == "stop":
            if completion.finish_reason != "stop":
                raise ValueError(f"it ends with a stop string, but its finish reason is '{completion.finish_reason}'")
            return not places
        reason = "length" if len(ids) == writing.max_new_tokens else "context"
        if len(ids) != stream.room or completion.finish_reason != reason:
            raise ValueError(f"its {len(ids)} tokens do not match the finish reason '{completion.finish_reason}'")
        return False

    def _ending(self, writing: Writing) -> Ending:
        from newwiki.decoding.sentence_end import SentenceEnd

        stops = self._prompting.stops(writing.stop) if writing.stop else None
        return Ending(self._end_tokens(), stops, SentenceEnd(self._tokenizer))

    def _rows_that_fit(self, model: Any, length: int, memory: int | None) -> int:
        from newwiki.models.engine.memory import rows_that_fit

        return rows_that_fit(model, length, memory)

    def _length(self, stream: Stream) -> int:
        """Return the maximum number of tokens of a row of the stream in a cache."""
        return len(stream.prompt) + stream.room

    def _completion(
        self, stream: Stream, written: Hypothesis, writing: Writing, carried: Sequence[int] = ()
    ) -> Completion:
        """Build a completion; `carried` are tokens of its text before those of the stream."""
        thinking, text, no_answer = self._prompting.split([*carried, *written.tokens], writing.stop)
        full: FinishReason = "length" if len(written.tokens) == writing.max_new_tokens else "context"
        reason: FinishReason = "stop" if written.ended else full
        return Completion(
            stream.page_id,
            stream.sample,
            text,
            len(written.tokens),
            len(split_words(text)),
            reason,
            reason != "stop",
            token_ids=tuple(written.tokens),
            thinking=thinking,
            thinking_tokens=None if thinking is None else len(self._prompting.encode_text(thinking)),
            no_answer=no_answer,
        )

    def _end_tokens(self) -> frozenset[int]:
        return self._ends

    @cached_property
    def _ends(self) -> frozenset[int]:
        eos = self._model.config.get_text_config().eos_token_id
        return self._prompting.end_tokens(self._configured_ends(), token_ids(eos))

    def _configured_ends(self) -> frozenset[int]:
        """Return the end tokens of the generation configuration, or else of the tokenizer."""
        configured = self._model.generation_config.eos_token_id
        return token_ids(self._tokenizer.eos_token_id if configured is None else configured)

    def _token_settings(self) -> dict[str, str]:
        """Return settings that few models have: end tokens other than the configured ones, and the tokenizer of
        tokenizer.json where transformers builds another."""
        settings = {"tokenizer_json": "yes"} if self._takes_tokenizer_json else {}
        if self._ends != self._configured_ends():
            settings["ends"] = " ".join(map(str, self._tokenizer.convert_ids_to_tokens(sorted(self._ends))))
        return settings


def _rules(ending: Ending, seed: int, slack: float, decoder: Decoder) -> "Rules":
    from newwiki.models.engine.loop import Rules

    return Rules(
        ending,
        seed,
        slack,
        int(decoder.parameters["no_repeat_ngram_size"]),
        str(decoder.parameters.get("amateur_context", "full")),
    )


def token_ids(configured: int | Sequence[int] | None) -> frozenset[int]:
    return frozenset([configured] if isinstance(configured, int) else configured or [])


def flag(name: str, text: str) -> bool:
    if text.lower() not in ("yes", "no", "true", "false"):
        raise UsageError(f"{name} must be yes or no, not '{text}'")
    return text.lower() in ("yes", "true")


def _device_name(device: Any) -> str:
    import torch

    return f"{device} ({torch.cuda.get_device_name(device)})" if device.type == "cuda" else str(device)
