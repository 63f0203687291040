"""The references of commands and settings, from their declarations (`docs/commands.md`, `docs/settings.md`)."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import get_origin

import click

from flows.cli import ALIASES, cli
from flows.listing import ARGUMENTS, GENERAL, GROUPS, OWN, Argument, listing
from newwiki.default_config import keys_of, record_of
from newwiki.registrations import Registrations
from newwiki.settings import Settings

_SHARED = "newwiki evaluate"  # the command that describes options of several commands


_HEADS = ("key", "default", "description")


def commands() -> str:
    """Return all commands by group, each with its usage, help, examples and options, in Markdown."""
    shown = {name: command for name, command in cli.commands.items() if not command.hidden}
    parts = []
    for group, heading in GROUPS.items():
        members = [(name, command) for name, command in shown.items() if listing(command).group == group]
        parts.append(f"\n## {heading}\n")
        for name, command in sorted(members):
            parts += [
                _described(path, subcommand) for path, subcommand in _with_subcommands(f"newwiki {name}", command)
            ]
    general = _rows(cli.commands["leaderboard"], GENERAL)
    parts.append(f"\n## {GENERAL}\n\nEvery command has these options.\n\n{table(('option', 'description'), general)}")
    former = [(f"`newwiki {old}`", f"`newwiki {new}`") for old, new in ALIASES.items()]
    heads = ("former name", "command")
    parts.append(f"\n## Former names\n\nCommands of earlier versions still work.\n\n{table(heads, former)}")
    return "".join(parts) + "\n"


def settings() -> str:
    """Return the settings and the tables of newwiki.toml in Markdown."""
    rows = [
        (f"`{name}`", f"`NEWWIKI_{name.upper()}`", _value(field.default), field.description or "")
        for name, field in keys_of(Settings).items()
    ]
    parts = [f"\n## Settings\n\n{table(('key', 'environment variable', 'default', 'description'), rows)}"]
    for name, declared in Registrations.model_fields.items():
        several = get_origin(declared.annotation) is tuple
        record = record_of(declared.annotation)
        keys = []
        for key, field in keys_of(record).items():
            default = "required" if field.is_required() else _value(field.get_default(call_default_factory=True))
            example = f" Example: {_value(field.examples[0])}." if field.examples else ""
            keys.append((f"`{key}`", default, f"{field.description or ''}{example}".strip()))
        title = f"[[{name}]]" if several else f"[{name}]"
        parts.append(f"\n## `{title}`\n\n{' '.join((record.__doc__ or '').split())}\n\n{table(_HEADS, keys)}")
    return "".join(parts) + "\n"


def line(cells: Iterable[str]) -> str:
    """Return a row of a table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with its head."""
    return line(heads) + line("---" for _ in heads) + "".join(map(line, rows))


def _with_subcommands(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name, subcommand in sorted(command.commands.items()):
            yield from _with_subcommands(f"{path} {name}", subcommand)


def _described(path: str, command: click.Command) -> str:
    context = click.Context(command, info_name=path)
    usage = "" if isinstance(command, click.Group) else " ".join(["", *command.collect_usage_pieces(context)])
    parts = [f"\n### `{path}`\n\n{_paragraphs(command.help or '')}\n"]
    if usage:
        parts.append(f"\nUsage: `{path}{usage}`\n\nExamples:\n\n")
        parts += [f"- `{example}`\n" for example in listing(command).examples]
    for heading in _headings(command):
        parts.append(_parameters(path, command, heading))
    return "".join(parts)


def _parameters(path: str, command: click.Command, heading: str) -> str:
    """Return the parameters under a heading.

    Options of several commands are described once, under `newwiki evaluate`.
    """
    shared = [] if path == _SHARED or heading in (ARGUMENTS, OWN) else _rows(cli.commands["evaluate"], heading)
    rows = _rows(command, heading)
    own = [row for row in rows if row not in shared]
    named = ", ".join(f"`{row[0].strip('`').split()[0].rstrip(',')}`" for row in rows if row in shared)
    described = f"\n\n{table(('argument' if heading == ARGUMENTS else 'option', 'description'), own)}" if own else "\n"
    link = f": {named} as for [`{_SHARED}`](#{_SHARED.replace(' ', '-')})" if named else ""
    return f"\n**{heading}**{link}{described}"


def _paragraphs(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _headings(command: click.Command) -> list[str]:
    """Return the headings of the parameters in order, without the heading of the general options."""
    if isinstance(command, click.Group):
        return []
    headings = [ARGUMENTS, OWN, *(_heading(parameter) for parameter in command.params)]
    return [heading for heading in dict.fromkeys(headings) if heading != GENERAL and _rows(command, heading)]


def _heading(parameter: click.Parameter) -> str:
    return ARGUMENTS if isinstance(parameter, Argument) else str(getattr(parameter, "heading", OWN))


def _rows(command: click.Command, heading: str) -> list[tuple[str, str]]:
    context = click.Context(command)
    rows = []
    for parameter in command.params:
        if _heading(parameter) != heading:
            continue
        if isinstance(parameter, Argument):
            rows.append((f"`{parameter.make_metavar(context)}`", parameter.description))
        elif record := parameter.get_help_record(context):
            rows.append((f"`{record[0]}`", " ".join(record[1].split())))
    return rows


def _value(value: object) -> str:
    return "–" if value in (None, "") else f"`{json.dumps(value, ensure_ascii=False)}`"
