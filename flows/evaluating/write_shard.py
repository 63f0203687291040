"""Generate completions on workers, each of which loads the model for its shards of prompts."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from flows.evaluating.generate import load_model
from flows.workers.shards import A_SHARD, Executor, Setting, cut, pages_of
from flows.workers.worker import cached, everywhere, here, settle
from newwiki.decoding.grammar import Decoder
from newwiki.errors import TerminalError
from newwiki.models.backend import Backend, Writing, numerics_of
from newwiki.records import Completion, Prompt


@dataclass(frozen=True)
class ModelReference:
    """The identity of a model as the main process loaded it. A worker must load the same model with identical bits."""

    backend: str
    name: str
    arguments: tuple[tuple[str, str], ...]
    sha256: str
    dtype: str
    numerics: int | None
    settings: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class WriteShard:
    """Prompts with the numbers of their missing samples, and the generation settings."""

    model: ModelReference
    others: tuple[tuple[str, str], ...]
    decoder: Decoder
    writing: Mapping[str, Any]
    requests: Sequence[tuple[Prompt, int]]
    setting: Setting


class ShardedModel:
    """A backend whose completions an executor generates.

    It keeps the metadata of the loaded model, and not the model.
    """

    def __init__(
        self, loaded: Backend, kind: str, arguments: Mapping[str, str], decoders: Sequence[Decoder], executor: Executor
    ) -> None:
        """Copy the metadata of a model that was loaded with `kind` and `arguments`.

        Raises TerminalError if another model that a decoder needs is unavailable.
        """
        self.name, self.backend, self.dtype = loaded.name, loaded.backend, loaded.dtype
        self.sha256 = loaded.sha256
        self.training = getattr(loaded, "training", None)
        self.prompt_sheet = getattr(loaded, "prompt_sheet", None)
        self.numerics = numerics_of(loaded)
        self.settings: Mapping[str, str] = dict(loaded.settings)
        self.versions: Mapping[str, str] = {**loaded.versions, "workers": str(executor.workers)}
        self._others = {decoder.canonical: dict(loaded.others(decoder)) for decoder in decoders}
        self._executor = executor
        self._reference = ModelReference(
            kind, everywhere(loaded.name), tuple(sorted(arguments.items())),
            loaded.sha256, loaded.dtype, self.numerics, tuple(sorted(loaded.settings.items())),
        )  # fmt: skip

    def others(self, decoder: Decoder) -> Mapping[str, str]:
        return self._others[decoder.canonical]

    def complete(
        self, requests: Sequence[tuple[Prompt, int]], decoder: Decoder, writing: Writing
    ) -> Iterator[list[Completion]]:
        """Yield the completions of each shard after it is done. Raises ShardsFailed at the end if shards failed."""
        values = {name: value for name, value in vars(writing).items() if name != "note"}
        others = tuple(sorted(self._others[decoder.canonical].items()))
        sent = Decoder(decoder.name, {key: _sent(key, value) for key, value in decoder.parameters.items()})
        shards = [
            WriteShard(self._reference, others, sent, values, part, self._executor.setting)
            for part in cut(requests, lambda request: request[0].page_id, self._executor.workers, A_SHARD)
        ]
        for _, table in self._executor.run(write, shards, _name):
            for note in json.loads(table.schema.metadata[b"notes"]):
                writing.note(note)
            yield [_completion(row) for row in table.to_pylist()]


def write(shard: WriteShard) -> pa.Table:
    """Generate the completions of a shard, with the columns of `Completion`. The schema's metadata holds the notes.

    Raises TerminalError if the model on this machine differs from the requested model.
    """
    settle(shard.setting)
    model: Backend = cached("model", (shard.model, shard.setting.plugins), lambda: _load(shard))
    if (actual := tuple(sorted(model.others(shard.decoder).items()))) != shard.others:
        _refuse(shard, f"the models of '{shard.decoder.short}'", actual, shard.others)
    notes: list[str] = []
    writing = Writing(**shard.writing, note=notes.append)
    rows = [
        asdict(completion) for batch in model.complete(shard.requests, shard.decoder, writing) for completion in batch
    ]
    return pa.Table.from_pylist(rows).replace_schema_metadata({"notes": json.dumps(notes)})


def _completion(row: Mapping[str, Any]) -> Completion:
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    return Completion(**values)


def _sent(key: str, value: Any) -> Any:
    return everywhere(value) if key == "amateur" else value


def _load(shard: WriteShard) -> Backend:
    wanted = shard.model
    loaded = load_model(wanted.backend, wanted.name, dict(wanted.arguments))
    actual = (loaded.sha256, loaded.dtype, ("numerics", numerics_of(loaded)), *sorted(loaded.settings.items()))
    if actual != (expected := (wanted.sha256, wanted.dtype, ("numerics", wanted.numerics), *wanted.settings)):
        _refuse(shard, f"the model '{wanted.name}'", actual, expected)
    return loaded


def _refuse(shard: WriteShard, what: str, actual: Sequence[object], expected: Sequence[object]) -> None:
    raise TerminalError(
        f"{what} is another one on {here()} ({_words(actual)}) than on {shard.setting.machine} ({_words(expected)}); "
        "give both machines the same files"
    )


def _words(facts: Sequence[object]) -> str:
    return ", ".join("=".join(map(str, fact)) if isinstance(fact, tuple) else str(fact) for fact in facts)


def _name(shard: WriteShard) -> str:
    return pages_of([prompt.page_id for prompt, _ in shard.requests])
