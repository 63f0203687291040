"""`newwiki completion`: the script with which a shell completes commands, options and values."""

import click
from click.shell_completion import get_completion_class

from flows.bash_completion import Bash
from flows.listing import Argument, GroupedCommand, listed
from flows.options import debug_option
from flows.printing import say

_SHELLS = ("bash", "zsh", "fish")


@listed(
    "keep",
    "Print a script for completion in your shell.",
    examples=(
        "newwiki completion bash > ~/.local/share/bash-completion/completions/newwiki",
        "newwiki completion fish > ~/.config/fish/completions/newwiki.fish",
    ),
)
@click.command(cls=GroupedCommand)
@click.argument("shell", cls=Argument, description="Shell to print the script for.", type=click.Choice(_SHELLS))
@debug_option
def completion(shell: str) -> None:
    """Print the script with which SHELL completes commands, options and values of newwiki.

    Values are decoders, metrics, example queries, formats, and the snapshots and runs of the database that the command
    line, the environment or newwiki.toml names. Completion only reads the database and never creates one.
    """
    kind = Bash if shell == "bash" else get_completion_class(shell)
    assert kind
    root = click.get_current_context().find_root()
    say(kind(root.command, {}, "newwiki", "_NEWWIKI_COMPLETE").source())
