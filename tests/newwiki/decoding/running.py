"""The engine itself, run on a model in memory, for comparison with the naive decoders."""

from collections.abc import Callable, Sequence
from typing import Any

from newwiki.decoding.grammar import Decoder, parse
from newwiki.decoding.stream import Ending, Stream
from newwiki.models.engine.look_ahead import engine_for
from newwiki.models.engine.loop import Rules
from newwiki.models.engine.own_cache import OwnCacheEngine, OwnCacheReader
from newwiki.models.engine.reader import Reader
from newwiki.models.engine.selftest import SLOTS, ModelPath
from newwiki.registry import decoders

Written = dict[tuple[int, int], tuple[list[int], bool]]


def written(
    spec: str | Decoder,
    model: Any,
    requests: Sequence[tuple[int, int, Sequence[int]]],
    *,
    ends: frozenset[int],
    room: int,
    rows: int = 8,
    seed: int = 0,
    slack: float = 2e-5,
    amateur: Any = None,
    sentence: Callable[[Sequence[int], int], bool] | None = None,
    path: ModelPath = SLOTS,
    amateur_path: ModelPath = SLOTS,
) -> Written:
    """{(page, sample): (tokens, whether the text ended)} of (page, sample, prompt) requests."""
    decoder = parse(spec)[0] if isinstance(spec, str) else spec
    search = decoders.get(decoder.name).search(decoder)
    blocked = int(decoder.parameters["no_repeat_ngram_size"])
    context = str(decoder.parameters.get("amateur_context", "full"))
    rules = Rules(Ending(ends, sentence=sentence), seed, slack, blocked, context)
    readers = [_reader(one, rows, on) for one, on in ((model, path), (amateur, amateur_path)) if one is not None]
    own_cache = path.own_cache or amateur_path.own_cache
    engine = OwnCacheEngine if own_cache else engine_for(search)
    streams = [Stream(page, sample, tuple(prompt), room) for page, sample, prompt in requests]
    batches = list(engine(readers, search, rules, rows=rows).run(streams))
    return {(s.page_id, s.sample): (one.tokens, one.ended) for batch in batches for s, one in batch}


def _reader(model: Any, rows: int, path: ModelPath) -> Reader:
    return OwnCacheReader(model, rows, join=path.joined) if path.own_cache else Reader(model, rows)
