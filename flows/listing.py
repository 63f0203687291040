"""How `newwiki --help` lists the commands: in groups, each in a line, and with examples in its own help."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

import click

Group = Literal["make", "look", "compare", "share", "keep"]
C = TypeVar("C", bound=click.Command)

GROUPS: dict[Group, str] = {
    "make": "Make snapshots, texts and scores",
    "look": "Look at them",
    "compare": "Compare models, and ask what is behind a number",
    "share": "Share them",
    "keep": "Keep it going",
}
_ALONE = "Others"


@dataclass(frozen=True)
class Listing:
    """Where a command stands, and examples of it, each a line for a shell."""

    group: Group | None
    examples: tuple[str, ...]


def listed(group: Group, short: str, *, example: str | tuple[str, ...]) -> Callable[[C], C]:
    """Lists a command in the group with this short help, and shows the examples in its own help."""

    def decorate(command: C) -> C:
        command.short_help = short
        return _with(command, group, example)

    return decorate


def exemplified(*examples: str) -> Callable[[C], C]:
    """Shows the examples in the help of a command below another one."""
    return lambda command: _with(command, None, examples)


def _with(command: C, group: Group | None, example: str | tuple[str, ...]) -> C:
    examples = (example,) if isinstance(example, str) else example
    command.listing = Listing(group, examples)  # type: ignore[attr-defined]
    command.epilog = "\n".join(
        ["\b", "Examples:" if len(examples) > 1 else "Example:", *(f"  {one}" for one in examples)]
    )
    return command


def listing(command: click.Command) -> Listing:
    """What was declared of the command: of one that says nothing no group, and no examples."""
    found = getattr(command, "listing", None)
    return found if isinstance(found, Listing) else Listing(None, ())


class ByGroup(click.Group):
    """A group whose commands are listed by what they are for."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Those that say of no group stand last."""
        for group, words in [*GROUPS.items(), (None, _ALONE)]:
            of_group = {name: one for name, one in self.commands.items() if listing(one).group == group}
            if of_group:
                with formatter.section(words):
                    longest = max(map(len, self.commands))
                    room = formatter.width - longest - 6
                    rows = [(name, one.get_short_help_str(room)) for name, one in sorted(of_group.items())]
                    formatter.write_dl([(name.ljust(longest), told) for name, told in rows])
