"""The sentences above the newest leaderboard: who is best, and whether the models can have seen the articles."""

from collections.abc import Sequence
from dataclasses import replace

from flows.presenting.numbers import counted, percent
from flows.report.groups import Groups, best_run_sentence, letters_of
from flows.site.snapshot_parts import SnapshotParts

_NAMED = 3  # models that a sentence names


def best_sentence(parts: SnapshotParts) -> str | None:
    """Return who is best in the largest table; None if its runs are too many to be compared in pairs."""
    table = parts.tables[0]
    if not (table.by and table.letters):
        return None
    of_table = replace(
        parts.material, board=replace(parts.material.board, records=tuple(map(dict, table.group.records)))
    )
    return best_run_sentence(
        of_table, Groups(table.by, of={run: letters_of(text) for run, text in table.letters.items()})
    )


def seen_sentence(parts: SnapshotParts) -> str:
    """Return how much of the snapshot its models can have seen, and how many models do not say."""
    cutoffs, shares = {}, {}
    for record in parts.material.records:
        name = parts.material.names[record["run_id"]]
        cutoffs[name], shares[name] = record["knowledge_cutoff"], record["seen_share"]
    unknown = [name for name, cutoff in cutoffs.items() if not cutoff]
    seen = {name: share for name, share in shares.items() if cutoffs[name] and share}
    known = len(cutoffs) - len(unknown)
    words = []
    if seen:
        listed = [f"{name} {percent(share)}" for name, share in sorted(seen.items(), key=lambda item: -item[1])]
        words.append(f"Models that can have seen a part of these articles: {_some(listed)}.")
    elif known:
        words.append(f"None of the models with a known cutoff ({known:,}) can have seen any of these articles.")
    if unknown:
        words.append(
            f"Whether {counted(len(unknown), 'model')} can have seen these articles is unknown, as no knowledge cutoff "
            f"is known: {_some(unknown)}."
        )
    return " ".join(words)


def _some(names: Sequence[str]) -> str:
    shown, more = list(names[:_NAMED]), len(names) - _NAMED
    return ", ".join(shown) + (f" and {more:,} more" if more > 0 else "")
