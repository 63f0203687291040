"""Which engine a decoder runs in."""

from newwiki.decoding.stream import LookAhead, Search
from newwiki.models.engine.look_ahead import LookAheadEngine
from newwiki.models.engine.loop import Engine


def engine_for(search: Search) -> type[Engine]:
    return LookAheadEngine if isinstance(search, LookAhead) else Engine
