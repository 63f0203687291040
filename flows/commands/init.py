"""`newwiki init`: a newwiki.toml to begin with."""

from pathlib import Path

import click

from flows.listing import listed
from flows.options import Output, common
from flows.printing import say
from newwiki.errors import UsageError
from newwiki.settings import Settings


@listed("keep", "Write a newwiki.toml with every setting.", example="newwiki init")
@click.command()
@click.option("--out", type=Output(dir_okay=False, path_type=Path), default="newwiki.toml", show_default=True)
@common
def init(settings: Settings, quiet: bool, out: Path) -> None:
    """Write a newwiki.toml in which every key stands with its default, commented out. It replaces no file."""
    from newwiki.default_config import default_config

    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        with out.open("x", encoding="utf-8", newline="\n") as file:
            file.write(default_config())
    except FileExistsError:
        raise UsageError(f"'{out}' is there already, and stays as it is; name another file: --out FILE.toml") from None
    say(out)
