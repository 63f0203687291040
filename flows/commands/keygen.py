"""`newwiki keygen`: a key that signs bundles."""

from pathlib import Path

import click

from flows.listing import GroupedCommand, listed
from flows.options import Output, common
from flows.printing import say
from newwiki.settings import Settings


@listed("share", "Create a key to sign bundles.", examples=("newwiki keygen",))
@click.command(cls=GroupedCommand)
@click.option(
    "--out",
    type=Output(dir_okay=False, path_type=Path),
    default="newwiki-key",
    show_default=True,
    help="New file for the private key.",
)
@common
def keygen(settings: Settings, quiet: bool, out: Path) -> None:
    """Create a key pair: a private key, which signs bundles, and FILE.pub, with which others verify them.

    The command prints the fingerprint of the key, as `ssh-keygen -l` does. No file is overwritten.
    """
    from flows.bundles.keys import make_pair, public_path

    fingerprint = make_pair(out, Path(settings.db))
    say(f"{fingerprint} {public_path(out)}")
