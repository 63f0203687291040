"""`newwiki init`: a newwiki.toml with every setting."""

from pathlib import Path

import click

from flows.listing import GroupedCommand, listed
from flows.options import Output, common
from flows.printing import say
from newwiki.errors import UsageError
from newwiki.settings import Settings


@listed("keep", "Write a newwiki.toml with every setting.", examples=("newwiki init",))
@click.command(cls=GroupedCommand)
@click.option(
    "--out",
    type=Output(dir_okay=False, path_type=Path),
    default="newwiki.toml",
    show_default=True,
    help="New file to write.",
)
@common
def init(settings: Settings, quiet: bool, out: Path) -> None:
    """Write a newwiki.toml that lists every key with its default, commented out, and beside it a JSON schema, by which
    editors complete and check the keys. No newwiki.toml is overwritten."""
    from newwiki.default_config import SCHEMA_FILE, config_schema, default_config

    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        with out.open("x", encoding="utf-8", newline="\n") as file:
            file.write(default_config())
    except FileExistsError:
        raise UsageError(f"'{out}' exists and was not changed: name another file with --out FILE.toml") from None
    out.with_name(SCHEMA_FILE).write_text(config_schema(), "utf-8", newline="\n")
    say(out)
