"""The help of the command line: commands in groups, options under headings, and examples."""

import copy
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import click

Group = Literal["make", "look", "compare", "share", "keep"]
C = TypeVar("C", bound=click.Command)

GROUPS: dict[Group, str] = {
    "make": "Make snapshots, texts and scores",
    "look": "Look at results",
    "compare": "Compare models and explain scores",
    "share": "Share results",
    "keep": "Set up and automate",
}

ARGUMENTS, OWN, GENERAL = "Arguments", "Options", "General options"  # headings of the options of a command
_WIDTH = 78  # width of a help line, for a terminal of 80 columns
_WHOLE = 1000  # characters: no summary of a command is cut


@dataclass(frozen=True)
class Listing:
    """The group of a command in `newwiki --help`, and examples of it, each a line for a shell."""

    group: Group | None
    examples: tuple[str, ...]


class Option(click.Option):
    """An option under a heading of the help, by default among the command's own options."""

    def __init__(self, *args: Any, heading: str | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.heading = heading or OWN


class Argument(click.Argument):
    """An argument with a line of help, which older versions of click do not support."""

    def __init__(self, *args: Any, description: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.description = description


class GroupedCommand(click.Command):
    """A command that shows arguments and its own options first, and the options of every command last."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the parameters of the command under their headings."""
        _format_parameters(self, ctx, formatter)


class CommandGroup(click.Group):
    """A group of commands, which lists its commands by purpose."""

    command_class = GroupedCommand

    def add_alias(self, name: str, words: str) -> None:
        """Add a hidden command of this name that does what the command `words` does, and says so in its help.

        A command of the name that is there already becomes the hidden one.
        """
        command = self.commands.get(name) or copy.copy(_command_at(self, words))
        command.name, command.hidden = name, True
        command.help = f"{inspect.cleandoc(command.help or '')}\n\nThis is the former name of `newwiki {words}`."
        self.add_command(command)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of the group, then its commands."""
        _format_parameters(self, ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their groups; commands without a group come last."""
        shown = {name: command for name, command in self.commands.items() if not command.hidden}
        grouped = any(listing(command).group for command in shown.values())
        for group, heading in [*GROUPS.items(), (None, "Other commands" if grouped else "Commands")]:
            members = {name: command for name, command in shown.items() if listing(command).group == group}
            if members:
                with formatter.section(heading):
                    longest = max(map(len, shown))
                    rows = [(name, command.get_short_help_str(_WHOLE)) for name, command in sorted(members.items())]
                    formatter.write_dl([(name.ljust(longest), summary) for name, summary in rows])


def _command_at(group: click.Group, words: str) -> click.Command:
    command: click.Command = group
    for word in words.split():
        assert isinstance(command, click.Group)
        command = command.commands[word]
    return command


def listed(group: Group | None, summary: str, *, examples: Sequence[str]) -> Callable[[C], C]:
    """List a command in the group with this summary, and show the examples in its help."""

    def decorate(command: C) -> C:
        command.short_help = summary
        return _with(command, group, tuple(examples))

    return decorate


def exemplified(*examples: str) -> Callable[[C], C]:
    """Show the examples in the help of a subcommand."""
    return lambda command: _with(command, None, examples)


def listing(command: click.Command) -> Listing:
    """Return the declaration of the command. Without a declaration, it has no group and no examples."""
    declared = getattr(command, "listing", None)
    return declared if isinstance(declared, Listing) else Listing(None, ())


def _with(command: C, group: Group | None, examples: tuple[str, ...]) -> C:
    command.listing = Listing(group, examples)  # type: ignore[attr-defined]
    title = "Examples:" if len(examples) > 1 else "Example:"
    command.epilog = "\n".join(["\b", title, *(line for example in examples for line in _in_lines(example))])
    return command


def _in_lines(example: str) -> list[str]:
    """Break an example before its options, with shell line continuations, if it is longer than a line."""
    lines, indent = [""], "  "
    for place, part in enumerate(example.split(" --")):
        words = part if place == 0 else f"--{part}"
        if len(f"{indent}{lines[-1]} {words} \\") > _WIDTH - 2 and lines[-1]:
            lines.append(f"    {words}")
        else:
            lines[-1] = f"{lines[-1]} {words}" if lines[-1] else words
    return [f"{indent}{line} \\" for line in lines[:-1]] + [f"{indent}{lines[-1]}"]


def _format_parameters(command: click.Command, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    records: dict[str, list[tuple[str, str]]] = {ARGUMENTS: [], OWN: []}
    for parameter in command.get_params(ctx):
        if isinstance(parameter, Argument):
            records[ARGUMENTS].append((parameter.make_metavar(ctx), parameter.description))
        elif record := parameter.get_help_record(ctx):
            usual = GENERAL if "--help" in parameter.opts else OWN
            records.setdefault(getattr(parameter, "heading", usual), []).append(record)
    general = records.pop(GENERAL, [])
    for heading, rows in [*records.items(), (GENERAL, general)]:
        if rows:
            with formatter.section(heading):
                formatter.write_dl(rows, col_max=26)
