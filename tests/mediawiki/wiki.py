"""A real MediaWiki over an export: how it is started, changed, made to fail and asked what it was asked."""

import fcntl
import hashlib
import json
import os
import shutil
import socket
import subprocess
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs, urlsplit

import requests

HERE = Path(__file__).parent
ROOT = Path(os.environ.get("MW_ROOT", "/usr/share/mediawiki"))
INSTALL = (
    "apt-get install -y --no-install-recommends mediawiki php-cli php-sqlite3 php-xml php-mbstring php-intl php-apcu"
)
_EXTENSIONS = {"pdo_sqlite", "simplexml", "mbstring", "intl"}


def is_installed() -> bool:
    if not (ROOT / "api.php").is_file() or not shutil.which("php"):
        return False
    listed = subprocess.run(["php", "-m"], capture_output=True, text=True, check=True).stdout
    return set(listed.lower().split()) >= _EXTENSIONS


@dataclass(frozen=True)
class Request:
    """One request as the wiki met it."""

    uri: str
    agent: str
    encodings: str

    @cached_property
    def parameters(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(urlsplit(self.uri).query).items()}

    @property
    def kind(self) -> str:
        """`login`, `site`, `list` (of creations), `hidden` (ones), `moves`, `rewritten` (histories), `recent`, `text`
        and `size` (of many pages or revisions), `history` (of one page), `templates`, `properties` or `info`."""
        asked = self.parameters
        if asked.get("action") == "login" or asked.get("meta") in ("tokens", "userinfo"):
            return "login"
        if asked.get("meta") == "siteinfo":
            return "site"
        if "generator" in asked:
            return "recent"
        if "list" in asked:
            kinds = {"create": "list", "move": "moves", "import": "rewritten", "merge": "rewritten"}
            return kinds[asked["letype"]] if "letype" in asked else "rewritten" if "leaction" in asked else "hidden"
        if "titles" in asked or ("rvlimit" in asked and "content" in asked["rvprop"]):
            return "templates"
        if asked.get("prop") == "pageprops":
            return "properties"
        if "rvlimit" in asked:
            return "history"
        if "rvprop" not in asked:
            return "info"
        return "text" if "content" in asked["rvprop"] else "size"

    @property
    def page_ids(self) -> set[int]:
        return {int(number) for number in self.parameters.get("pageids", "").split("|") if number}


@dataclass(frozen=True)
class Event:
    """Something that is done to a page at a moment: `edit` (to `text`), `move` or `merge` (to `to`), `delete` (with
    a `comment`), `restore`; `import` or `upload` of an export (`text`), without and with an entry in the import log.

    `only` are the times of the revisions to restore, or of the last one to merge; all if there are none.
    """

    at: datetime
    do: Literal["edit", "move", "delete", "restore", "merge", "import", "upload"]
    title: str
    to: str = ""
    text: str = ""
    redirect: bool = True
    only: tuple[datetime, ...] = ()
    comment: str = ""

    @property
    def said(self) -> dict[str, object]:
        moments = {"at": _for_mediawiki(self.at), "only": [_for_mediawiki(at) for at in self.only]}
        return vars(self) | moments


def _for_mediawiki(moment: datetime) -> str:
    return f"{moment:%Y%m%d%H%M%S}"


@dataclass(frozen=True)
class Wiki:
    """A running wiki, whose files are in `home`. What PHP compiles of MediaWiki it keeps in `compiled`."""

    api_url: str
    home: Path
    compiled: Path

    @classmethod
    def start(cls, export: Path, home: Path, imported: Path, **environment: str) -> "Wiki":
        """Serves a copy of what the export has become; `imported` is the folder where that is kept, for all workers."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        compiled = _compiled(imported)
        wiki = cls(f"http://127.0.0.1:{port}/w/api.php", home, compiled)
        original = cls("", imported / hashlib.sha256(export.read_bytes()).hexdigest()[:16], compiled)
        with Path(f"{original.home}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not original.home.exists():
                original._run("bash", HERE / "serve.sh", "import", export)
        shutil.copytree(original.home, home, dirs_exist_ok=True)
        wiki._run("bash", HERE / "serve.sh", export, port, **environment)
        wiki.reset()
        return wiki

    def stop(self) -> None:
        self._run("bash", HERE / "serve.sh", "stop")

    def reset(self) -> None:
        """Forgets the requests so far and the faults to come, and lets go those that are held."""
        (self.home / "requests.jsonl").write_text("")
        (self.home / "faults.txt").write_text("")
        (self.home / "held").unlink(missing_ok=True)

    def faults(self, *lines: str) -> None:
        """The faults to come, one for each line, as router.php describes them."""
        (self.home / "held").touch()
        (self.home / "faults.txt").write_text("\n".join(lines))

    def faults_left(self) -> list[str]:
        return (self.home / "faults.txt").read_text().splitlines()

    def requests(self) -> list[Request]:
        # While the wiki writes a line, that line is not there yet
        written = (self.home / "requests.jsonl").read_text().split("\n")[:-1]
        return [Request(**json.loads(line)) for line in written]

    def kinds(self) -> Counter[str]:
        """How many requests of each kind there were."""
        return Counter(request.kind for request in self.requests())

    def export(self, path: Path) -> Path:
        """The wiki as it writes itself, with full history."""
        self._maintain("dumpBackup.php", "--full", "--quiet", f"--output=file:{path}")
        return path

    def rendered(self, title: str, wikitext: str) -> str:
        """The HTML that the wiki makes of a page with this text."""
        asked = {
            "action": "parse", "format": "json", "formatversion": "2", "prop": "text", "contentmodel": "wikitext",
            "disablelimitreport": "1", "disableeditsection": "1", "disabletoc": "1", "title": title, "text": wikitext,
            "uselang": "en",
        }  # fmt: skip
        answer = requests.post(self.api_url, data=asked, timeout=60).json()
        return str(answer["parse"]["text"])

    def delete(self, *titles: str) -> None:
        self._maintain("deleteBatch.php", said="\n".join(titles))

    def restore(self, title: str) -> None:
        self._maintain("undelete.php", title)

    def happen(self, *events: Event) -> None:
        """What befalls the wiki, each event at its own moment, which may be long past."""
        self._run("php", HERE / "happen.php", said="\n".join(json.dumps(event.said) for event in events))

    def move(self, title: str, to: str) -> None:
        self._maintain("moveBatch.php", said=f"{title}|{to}")

    def hide_creation(self, title: str) -> None:
        """Hides the action of the page's entry in the creation log, as administrators may."""
        self._run("php", HERE / "afterImport.php", "--hide-creation", title)

    def hide_deletion(self, title: str) -> None:
        """Hides the comments of the page's entries in the deletion log, as administrators may."""
        self._run("php", HERE / "afterImport.php", "--hide-deletion", title)

    def tag_creation(self, title: str, tag: str) -> None:
        """Tags the edit that created the page, as MediaWiki's extensions do."""
        self._run("php", HERE / "afterImport.php", "--tag-creation", f"{title}|{tag}")

    def set_property(self, title: str, name: str, value: str) -> None:
        """A page property, such as the `wikibase_item` that Wikidata gives to a page."""
        self._run("php", HERE / "afterImport.php", "--property", f"{title}|{name}|{value}")

    def _maintain(self, script: str, *arguments: str, said: str = "") -> None:
        self._run("php", ROOT / "maintenance" / script, *arguments, said=said)

    def _run(self, *command: object, said: str = "", **environment: str) -> None:
        places = {
            "MW_ROOT": ROOT, "MW_TEST_HOME": self.home, "MW_CONFIG_FILE": self.home / "LocalSettings.php",
            "PHP_INI_SCAN_DIR": f":{self.compiled}",
        }  # fmt: skip
        ended = subprocess.run(
            [str(word) for word in command],
            env=os.environ | {name: str(place) for name, place in places.items()} | environment,
            input=said,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr


def _compiled(folder: Path) -> Path:
    """A folder of PHP's settings and of what it compiles by them: each wiki's processes would compile all anew."""
    compiled = folder / "compiled"
    compiled.mkdir(exist_ok=True)
    settings = ("enable_cli=1", f"file_cache={compiled}", "revalidate_freq=0")
    written = compiled / f"{os.getpid()}.part"
    written.write_text("".join(f"opcache.{setting}\n" for setting in settings))
    written.replace(compiled / "opcache.ini")
    return compiled
