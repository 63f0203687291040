"""The reference of the commands, generated from their declarations (`docs/commands.md`)."""

from collections.abc import Iterator

import click

from flows.cli import cli
from flows.listing import ARGUMENTS, GENERAL, GROUPS, OWN, Argument, listing
from flows.markdown import table

_SHARED = "newwiki evaluate"  # the command that describes options of several commands


def commands() -> str:
    """Return all commands by group, each with its usage, help, examples and options, in Markdown."""
    parts = []
    for group, heading in GROUPS.items():
        members = [(name, command) for name, command in cli.commands.items() if listing(command).group == group]
        parts.append(f"\n## {heading}\n")
        for name, command in sorted(members):
            parts += [_described(path, one) for path, one in _with_subcommands(f"newwiki {name}", command)]
    general = _rows(cli.commands["leaderboard"], GENERAL)
    parts.append(f"\n## {GENERAL}\n\nEvery command has these options.\n\n{table(('option', 'description'), general)}")
    return "".join(parts) + "\n"


def _with_subcommands(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name, one in sorted(command.commands.items()):
            yield from _with_subcommands(f"{path} {name}", one)


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
    """Return the parameters under a heading. Shared ones are described once, at `newwiki evaluate`."""
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
    """Return the headings of the parameters in their order, without that of the options of every command."""
    if isinstance(command, click.Group):
        return []
    found = [ARGUMENTS, OWN, *(_heading(parameter) for parameter in command.params)]
    return [one for one in dict.fromkeys(found) if one != GENERAL and _rows(command, one)]


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
