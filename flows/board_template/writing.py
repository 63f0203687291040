"""Write the repository of a new leaderboard."""

import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from flows.schedule.due import newest_due
from newwiki.errors import UsageError
from newwiki.registrations import load_registrations
from newwiki.site_request import SiteRequest
from storage.folders import is_free

_TEMPLATES = files("flows.board_template")
_FILES = {"newwiki.toml": "newwiki.toml", "README.md": "README.md", "board.yml": ".github/workflows/board.yml"}
_IGNORED = ".gitignore"
_FOLDERS = {"bundles": "Signed runs of others, one file *.newwiki each.", "keys": "Public keys that may submit, *.pub."}


def write_board(folder: Path, wiki: str, title: str, address: str) -> list[Path]:
    """Write the files into a new or empty folder and return them. Raises UsageError for another folder."""
    SiteRequest(title=title, address=address)
    if not is_free(folder):
        raise UsageError(f"'{folder}' is not empty and was not changed: name a new folder")
    if unfit := next((text for text in (wiki, title, address) if set(text) & set('"\\<>\n')), None):
        raise UsageError(f"'{unfit}' has a quotation mark, a backslash or an angle bracket: leave it out")
    address = f"{address.rstrip('/')}/"
    names = {"WIKI": wiki, "TITLE": title, "ADDRESS": address, "SINCE": newest_due(datetime.now(UTC)).label}
    texts = {path: _filled((_TEMPLATES / name).read_text("utf-8"), names) for name, path in _FILES.items()}
    texts[_IGNORED] = "newwiki.duckdb*\nboard/\nreports/\n"
    texts |= {f"{name}/README.md": f"{words}\n" for name, words in _FOLDERS.items()}
    with TemporaryDirectory() as scratch:
        part = Path(scratch) / folder.name
        for path, text in texts.items():
            (part / path).parent.mkdir(parents=True, exist_ok=True)
            (part / path).write_text(text, "utf-8", newline="\n")
        load_registrations(part / "newwiki.toml")  # raises UsageError for a name that no wiki can have
        shutil.copytree(part, folder, dirs_exist_ok=True)
    return [folder / path for path in texts]


def _filled(text: str, names: Mapping[str, str]) -> str:
    for name, value in names.items():
        text = text.replace(f"<{name}>", value)
    return text
