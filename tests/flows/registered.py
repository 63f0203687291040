"""A folder in which the sample wiki and two toy models are registered, and a webhook on loopback that takes notices."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from flows.demonstration import wiki
from tests.docs.world import write_checkpoint

TOKEN = "hush-4f1c9b7e"
_REGISTERED = """
entities = "rules-v1"

[[wikis]]
name = "sample"
dump = "{dump}"
since = "{since}"
sample = 3

[[models]]
name = "{folder}/small"
decoders = ["greedy"]

[[models]]
name = "{folder}/other"
decoders = ["greedy"]

[evaluation]
prompts = 2
max_new_tokens = 4
metrics = "words,rep_4"

[[gates]]
baseline = "small/greedy"
candidate = "other/greedy"
fail_if = "words > +200"
unless_sure = "pass"

[notify]
webhook_env = "THE_WEBHOOK"
"""


def write_models(toy: Path, folder: Path) -> Path:
    """Two checkpoints that are soon done, `small` and `other`."""
    write_checkpoint(toy, folder / "small")
    write_checkpoint(toy, folder / "other", shift=0.01)
    return folder


def register(folder: Path, models: Path, since: str = "2026-08", **changes: str) -> Path:
    """Writes newwiki.toml into the folder; `changes` are texts in it and what stands in their place."""
    text = _REGISTERED.format(dump=wiki(), folder=models, since=since)
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    path = folder / "newwiki.toml"
    path.write_text(text)
    return path


@dataclass
class Webhook:
    """What it was sent, and the statuses that it answers with, then 200."""

    url: str
    answers: list[int] = field(default_factory=list)
    taken: list[dict[str, Any]] = field(default_factory=list)
    asked: int = 0

    @property
    def keys(self) -> list[str]:
        return [notice["key"] for notice in self.taken]


@contextmanager
def webhook() -> Iterator[Webhook]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            notice = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert notice.get("key") == self.headers["Idempotency-Key"]
            hook.asked += 1
            status = hook.answers.pop(0) if hook.answers else 200
            if status == 200 and TOKEN in self.path:
                hook.taken.append(notice)
            self.send_response(status)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hook = Webhook(f"http://127.0.0.1:{server.server_port}/{TOKEN}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield hook
    finally:
        server.shutdown()
        server.server_close()
