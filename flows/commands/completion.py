"""`newwiki completion`: what a shell must read to complete commands, options and values."""

import click
from click.shell_completion import get_completion_class

from flows.bash_completion import Bash
from flows.listing import listed
from flows.options import debug_option
from flows.printing import say

_SHELLS = ("bash", "zsh", "fish")


@listed(
    "keep",
    "Let the shell complete commands, options and values.",
    example=(
        "newwiki completion bash > ~/.local/share/bash-completion/completions/newwiki",
        "newwiki completion fish > ~/.config/fish/completions/newwiki.fish",
    ),
)
@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
@debug_option
def completion(shell: str) -> None:
    """Write the script by which SHELL completes newwiki's commands, options and values.

    Values are decoders, metrics, examples of SQL, formats, and the snapshots and runs of the database that the line,
    the environment or newwiki.toml names. The database is read only, and none is made.
    """
    kind = Bash if shell == "bash" else get_completion_class(shell)
    assert kind
    root = click.get_current_context().find_root()
    say(kind(root.command, {}, "newwiki", "_NEWWIKI_COMPLETE").source())
