"""`newwiki board`: sets up a leaderboard."""

from pathlib import Path

import click

from flows.listing import Argument, CommandGroup, exemplified, listed
from flows.options import Output, common
from flows.printing import say
from newwiki.settings import Settings

_EXAMPLE = "newwiki board new my-board --address https://lab.example/board/"


@listed("keep", "Set up a leaderboard that stays up to date.", examples=(_EXAMPLE,))
@click.group(cls=CommandGroup)
def board() -> None:
    """Set up a leaderboard that stays up to date by itself."""


@exemplified(_EXAMPLE)
@board.command("new")
@click.argument(
    "folder",
    cls=Argument,
    type=Output(file_okay=False, path_type=Path),
    description="Folder of the new repository.",
)
@click.option("--wiki", default="enwiki", show_default=True, metavar="NAME", help="Database name of the wiki.")
@click.option("--title", default="New-Wiki Eval", show_default=True, metavar="TEXT", help="Title of the leaderboard.")
@click.option(
    "--address",
    default="https://OWNER.github.io/NAME/",
    show_default=True,
    metavar="URL",
    help="Address where the leaderboard will be published.",
)
@common
def new(settings: Settings, quiet: bool, folder: Path, wiki: str, title: str, address: str) -> None:
    """Write the repository of a leaderboard into FOLDER, which must be new or empty.

    The repository holds a newwiki.toml, a daily workflow for GitHub, a README with a badge, and folders for the bundles
    and keys of those who submit. Pushed to GitHub, it publishes itself on GitHub Pages. On another machine, run
    `newwiki schedule --once` in it every day.
    """
    from flows.board_template.writing import write_board

    for path in write_board(folder, wiki, title, address):
        say(path)
