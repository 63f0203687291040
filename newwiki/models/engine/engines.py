"""Which engine a decoder runs in."""

from newwiki.decoding.stream import Search
from newwiki.models.engine.loop import Engine


def engine_for(search: Search) -> type[Engine]:
    return Engine
