"""`newwiki keygen`: a key to sign bundles with."""

from pathlib import Path

import click

from flows.listing import listed
from flows.options import Output, common
from flows.printing import say
from newwiki.settings import Settings


@listed("share", "A key to sign bundles with.", example="newwiki keygen")
@click.command()
@click.option(
    "--out", type=Output(dir_okay=False, path_type=Path), default="newwiki-key", show_default=True, help="A new file."
)
@common
def keygen(settings: Settings, quiet: bool, out: Path) -> None:
    """Make a key of your own: a private one, which signs bundles, and FILE.pub, by which others know you.

    What is printed is the key's fingerprint, as `ssh-keygen -l` prints it. No file is written over.
    """
    from flows.bundles.keys import make_pair, public_path

    fingerprint = make_pair(out, Path(settings.db))
    say(f"{fingerprint} {public_path(out)}")
