"""Refuse comparisons across protocols, unless the user asks for them."""

from collections.abc import Collection

from flows.presenting.numbers import counted
from newwiki import protocol
from newwiki.errors import TerminalError
from storage.run_names import Contender


def require_one_protocol(a: Contender, b: Contender, across: Collection[str] | None = ()) -> None:
    """Raise TerminalError if the runs differ in a protocol setting that `across` does not name.

    With None, as for a gate, the message does not mention `--across`.
    """
    reads = [run.settings is not None and protocol.writes_none(run.settings) for run in (a, b)]
    if a.settings and b.settings and reads[0] != reads[1]:
        read, written = (a, b) if reads[0] else (b, a)
        raise TerminalError(
            f"{read.run_id} has read articles and {written.run_id} has written them, so no number is of both; compare "
            "runs that have read, or runs that have written"
        )
    differing = protocol.differing(a.settings, b.settings)
    if not set(differing) - set(across or ()):
        return
    message = f"{a.run_id} and {b.run_id} have different settings: {_words(differing, a, b)}"
    if across is None:
        raise TerminalError(f"{message}; a gate compares runs of one protocol: evaluate both with the same settings")
    options = " ".join(f"--across {name}" for name in differing)
    raise TerminalError(f"{message}; evaluate both with the same settings, or compare them anyway: {options}")


def told(a: Contender, b: Contender, prompts: int) -> list[str]:
    """Return notes on other differences between the runs of a comparison on `prompts` prompts."""
    notes = []
    if differing := protocol.differing(a.settings, b.settings):
        notes.append(f"across protocols: {_words(differing, a, b)}")
    notes += told_beside(a, b)
    prompt_counts = [run.settings["prompts"] if run.settings else None for run in (a, b)]
    if any(number is not None and number != prompts for number in prompt_counts):
        named_counts = [
            f"{name}'s {number:,}" for name, number in zip("AB", prompt_counts, strict=True) if number is not None
        ]
        notes.append(f"paired on {counted(prompts, 'prompt')} of {' and '.join(named_counts)}")
    return notes


def told_beside(a: Contender, b: Contender) -> list[str]:
    """Return a note on differences other than model, decoder and protocol."""
    others = [name for name in protocol.told_apart(a.settings, b.settings) if name != "prompts"]
    return [f"A and B differ in more than model and decoder: {_words(others, a, b)}"] if others else []


def _words(names: Collection[str], a: Contender, b: Contender) -> str:
    return protocol.in_words(names, a.settings or {}, b.settings or {})
