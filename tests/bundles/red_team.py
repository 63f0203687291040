"""`python -m tests.bundles.red_team [WORDS]`: what becomes of each forgery, or of those whose name has these words."""

import os
import shutil
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ["HF_HUB_OFFLINE"] = "1"  # before anything reads it

from flows.demonstration import wiki
from flows.progress import Silent
from flows.refreshing.gather_and_publish import SnapshotDefinition, refresh
from newwiki.sample import toy
from newwiki.snapshot import Window
from newwiki.sources.dump import DumpSource
from newwiki.text.language import load_language
from newwiki.text.prose import extract_prose
from newwiki.visible import visible
from storage.database import Database
from tests.bundles.attempts import Outcome, attempt
from tests.bundles.forgeries import FORGERIES
from tests.bundles.world import World, build

_NAME = 54  # characters


def genuine(folder: Path) -> World:
    """Everything that a forger starts from, made in this folder."""
    from datetime import UTC, datetime

    checkpoint, published = folder / "toy-gpt2", folder / "published.duckdb"
    refresh(Database(published), DumpSource(str(wiki())), SnapshotDefinition(Window.month("2026-09")), Silent())
    batches = DumpSource(str(wiki())).pages(Window.month("2026-08"), datetime(2026, 10, 1, tzinfo=UTC), set())
    pages = [page for batch in batches for page in batch.pages]
    toy.train([extract_prose(page.wikitext or "", load_language("en")) for page in pages], checkpoint, steps=20)
    return build(folder, published, checkpoint)


def main(words: str) -> int:
    chosen = [one for one in FORGERIES.values() if words in f"{one.way}: {one.name}"]
    outcomes: dict[str, Outcome] = {}
    began = time.monotonic()
    with TemporaryDirectory() as name:
        world = genuine(Path(name))
        for number, forgery in enumerate(chosen):
            folder = Path(name, f"attempt-{number}")
            folder.mkdir()
            outcomes[forgery.name] = attempt(forgery, world, folder)
            shutil.rmtree(folder)
            print(f"{number + 1} of {len(chosen)}", end="\r", file=sys.stderr, flush=True)
    wrong = [one for one in chosen if outcomes[one.name].verdict != one.expected]
    print(f"{len(chosen) - len(wrong)} of {len(chosen)} forgeries end as they should ", end="")
    print(f"({time.monotonic() - began:.0f} s)\n\n{'forgery':{_NAME}} {'outcome':8} should be")
    for one in sorted(chosen, key=lambda one: one not in wrong):
        print(
            f"{one.name[:_NAME]:{_NAME}} {outcomes[one.name].verdict:8} {one.expected if one in wrong else ''}".rstrip()
        )
        if one in wrong:
            print(f"  {visible(outcomes[one.name].told)[:76]}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:])))
