"""Seeds that a reader must see: a run under another seed than the default, and several seeds of one request."""

from collections.abc import Iterable, Mapping
from typing import Any

from newwiki.decoding.grammar import short_form
from newwiki.fields import fields_of
from newwiki.request import EvaluationRequest

[DEFAULT_SEED] = (one.default for one in fields_of(EvaluationRequest) if one.name == "seed")
_NAMED = 6  # runs in a note


def with_seed(decoder: str, seed: int | None) -> str:
    """The decoder, with the seed where it is not the default: `greedy, seed 7`."""
    return decoder if seed in (None, DEFAULT_SEED) else f"{decoder}, seed {seed}"


def seed_notes(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """A note on the runs under another seed than the default, and one for each request that was run under several
    seeds, as the best of many is no fair number.

    The rows are runs with `model`, `model_sha256`, `decoder`, `snapshot_id`, `protocol` and `seed`.
    """
    names: dict[tuple[str, ...], str] = {}
    seeds: dict[tuple[str, ...], set[int]] = {}
    for row in rows:
        if row["seed"] is not None:
            key = tuple(str(row[name]) for name in ("model_sha256", "decoder", "snapshot_id", "protocol"))
            names.setdefault(key, f"{row['model']}/{short_form(row['decoder'])} on {row['snapshot_id']}")
            seeds.setdefault(key, set()).add(row["seed"])
    others = [
        f"{names[key]} (seed {min(found)})"
        for key, found in seeds.items()
        if len(found) == 1 and found != {DEFAULT_SEED}
    ]
    more = f" and {len(others) - _NAMED:,} more" if len(others) > _NAMED else ""
    notes = [f"not under the default seed {DEFAULT_SEED}: {', '.join(others[:_NAMED])}{more}"] if others else []
    return notes + [
        f"{names[key]} has {len(found)} seeds: {', '.join(map(str, sorted(found)))}; the best of several seeds is "
        "higher than a fair number"
        for key, found in seeds.items()
        if len(found) > 1
    ]
