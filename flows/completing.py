"""The values that a shell completes: decoders, metrics, snapshots and runs.

Completion reads only an existing database and never creates one. It ignores errors, because the command reports them.
Only words without special characters are offered, so that a shell never interprets another person's name.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from newwiki.errors import NewWikiError

_HARMLESS = re.compile(r"[\w@%+=:,./-]+")
Completer = Callable[[click.Context, click.Parameter, str], list["CompletionItem[str]"]]


def completer(field: str) -> Completer | None:
    """Return the completer for a field or an option by name, or None if its values are unknown."""
    return _OF.get(field)


def _begun(values: Iterable[tuple[str, str | None]], incomplete: str) -> list["CompletionItem[str]"]:
    """Return the values that begin with the typed text, each with the help that a shell shows."""
    return [
        CompletionItem(value, help=note)
        for value, note in values
        if value.startswith(incomplete) and _HARMLESS.fullmatch(value)
    ]


def _stored(context: click.Context, kind: str) -> list[tuple[str, ...]]:
    from newwiki.settings import load_settings
    from storage.names import names

    try:
        settings = load_settings(context.params.get("config"), db=context.params.get("db"))
    except NewWikiError:
        return []
    return names(Path(settings.db), f"names_of_{kind}")


def _snapshots(context: click.Context, parameter: click.Parameter, incomplete: str) -> list["CompletionItem[str]"]:
    return _begun([("latest", None), *((name, None) for (name,) in _stored(context, "snapshots"))], incomplete)


def _runs(context: click.Context, parameter: click.Parameter, incomplete: str) -> list["CompletionItem[str]"]:
    """Return runs by model and decoder, and by id after the first typed character."""
    from newwiki.decoding.grammar import short_form

    rows = _stored(context, "runs")
    words = {run_id: f"{model}/{short_form(decoder)}" for run_id, model, decoder in rows}
    named = [(label, run_id) for run_id, label in words.items() if not run_id.startswith("reference:")]
    ids = [(run_id, label) for run_id, label in words.items() if incomplete or run_id.startswith("reference:")]
    return _begun([*named, *ids], incomplete)


def _metrics(context: click.Context, parameter: click.Parameter, incomplete: str) -> list["CompletionItem[str]"]:
    """Complete the last of several names between commas, with the stored metrics first."""
    before, comma, begun = incomplete.rpartition(",")
    stored = [name for (name,) in _stored(context, "metrics") if name.startswith(begun)]
    words = [word for word in (parameter.make_metavar(context) or "").split("|") if word.islower()]
    names = [*([] if comma else words), *(stored or _known_metrics())]
    return _begun(((f"{before}{comma}{name}", None) for name in names), incomplete)


def _known_metrics() -> Iterator[str]:
    from newwiki.registry import evaluators, reading_evaluators, set_evaluators

    for registry in (evaluators, set_evaluators, reading_evaluators):
        for evaluator in registry.all().values():
            yield from (metric.name for metric in evaluator.metrics)


def _decoders(context: click.Context, parameter: click.Parameter, incomplete: str) -> list["CompletionItem[str]"]:
    """Return names of decoders, and parameters after `NAME:` or a comma."""
    from newwiki.registry import decoders

    name, colon, body = incomplete.partition(":")
    if not colon:
        return _begun(((name, None) for name in decoders.all()), incomplete)
    parameters = decoders.all()[name].parameters if name in decoders.all() else ()
    before, comma, _ = body.rpartition(",")
    return _begun(((f"{name}:{before}{comma}{parameter}=", None) for parameter in parameters), incomplete)


def _decoder_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list["CompletionItem[str]"]:
    from newwiki.registry import decoders

    return _begun(((name, None) for name in decoders.all()), incomplete)


def _models(context: click.Context, parameter: click.Parameter, incomplete: str) -> list["CompletionItem[str]"]:
    return _begun(((name, None) for name in dict.fromkeys(row[1] for row in _stored(context, "runs"))), incomplete)


def _experiments(context: click.Context, parameter: click.Parameter, incomplete: str) -> list["CompletionItem[str]"]:
    from flows.experiments.experiment import every

    return _begun(((experiment.name, experiment.title) for experiment in every()), incomplete)


def _settings(context: click.Context, parameter: click.Parameter, incomplete: str) -> list["CompletionItem[str]"]:
    from newwiki.protocol import PROTOCOL

    return _begun(((name, None) for name in PROTOCOL), incomplete)


def _examples(context: click.Context, parameter: click.Parameter, incomplete: str) -> list["CompletionItem[str]"]:
    from storage.cookbook import questions

    return _begun(((question.name, question.words) for question in questions()), incomplete)


def _files(context: click.Context, parameter: click.Parameter, incomplete: str) -> list["CompletionItem[str]"]:
    return [CompletionItem(incomplete, type="file")]


_OF: dict[str, Completer] = {
    "across": _settings,
    "baseline": _runs,
    "candidate": _runs,
    "decoder": _decoders,
    "decoder_name": _decoder_names,
    "decoders": _decoders,
    "example": _examples,
    "experiment_name": _experiments,
    "metric": _metrics,
    "metrics": _metrics,
    "model_name": _models,
    "models": _files,
    "rank": _metrics,
    "run": _runs,
    "run_a": _runs,
    "run_b": _runs,
    "runs": _runs,
    "snapshot": _snapshots,
    "snapshots": _snapshots,
}
