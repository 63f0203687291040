"""What several rooms test with: the sample wiki, a tiny checkpoint of our own, and XML exports written by hand."""

import atexit
import gc
import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import nullcontext
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from newwiki.sample import toy
from newwiki.snapshot import Window
from newwiki.sources.dump import DumpSource
from newwiki.text.language import load_language
from newwiki.text.prose import extract_prose
from tests import fork_server, new_databases, quick
from tests.log_streams import spare_the_tests_own_output
from tests.once import once

# Two workers on two cores: threads of their own would only wait for each other. torch reads it when it is imported, as
# huggingface_hub does whether there is a network.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["HF_HUB_OFFLINE"] = "1"

# How long an example takes is the machine's affair; a test that measures time would fail where others work beside it.
# NEWWIKI_EXAMPLES=1000 looks for rarer cases than each run can.
settings.register_profile("untimed", deadline=None, max_examples=int(os.environ.get("NEWWIKI_EXAMPLES", "30")))
settings.load_profile("untimed")

_STATUS = pytest.StashKey[int]()
_ROOT = Path(__file__).parents[1]
_EXPORT = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11"{language}>
  <siteinfo>
    <sitename>A wiki</sitename>
    {dbname}
    <base>https://wiki.example/wiki/Main_Page</base>
    <namespaces><namespace key="0" /><namespace key="1">Talk</namespace></namespaces>
  </siteinfo>
{pages}
</mediawiki>
"""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A quick run does not so much as import what would load torch."""
    is_test = collection_path.match("test_*.py") and quick.is_quick(config)
    return True if is_test and quick.loaded(collection_path) else None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without the garbage collector: nearly all objects stay, and looking through them takes a third of the
    time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    quick.mark_slow(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """In the place of `--dist loadfile`; another that is asked for stays."""
    from tests.work_units import FileOrPage

    return FileOrPage(config, log) if config.getoption("dist") == "loadfile" else None


_SEEN = pytest.StashKey[int]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A model that is loaded gives memory back, for which Python looks through all objects. Those of libraries stay, so
    they are put aside once there are many more of them."""
    spare_the_tests_own_output()
    if len(sys.modules) > item.config.stash.get(_SEEN, 0) + 50:
        gc.collect()
        gc.freeze()
        item.config.stash[_SEEN] = len(sys.modules)


def pytest_collection_finish(session: pytest.Session) -> None:
    if quick.is_quick(session.config):
        heavy = quick.LIBRARIES & sys.modules.keys()
        if heavy:
            raise pytest.UsageError(f"collecting the quick tests has loaded {', '.join(sorted(heavy))}")
        quick.forbid_processes_and_models()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[_STATUS] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Ends at once where Prefect has run here, as the command line does: see `flows.cli`."""
    if "prefect" in sys.modules and _STATUS in config.stash:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(config.stash[_STATUS])


@pytest.fixture(scope="session")
def sample_wiki() -> Path:
    return _ROOT / "newwiki" / "sample" / "wiki.xml"


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all workers of this run. What stands there is made once, under a lock, and never changed."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session", autouse=True)
def _one_fork_server(shared_folder: Path) -> None:
    fork_server.folder = shared_folder


@pytest.fixture(scope="module", autouse=True)
def _new_databases(request: pytest.FixtureRequest, shared_folder: Path) -> Iterator[None]:
    is_about_them = request.path.name in new_databases.ABOUT
    with nullcontext() if is_about_them else new_databases.copied(shared_folder / "empty.duckdb"):
        yield


@pytest.fixture(scope="session")
def toy_checkpoint(sample_wiki: Path, shared_folder: Path) -> Path:
    """A real GPT-2 of two layers after a few steps of training. Tests that change it copy it."""

    def train(folder: Path) -> None:
        window, cutoff = Window.month("2026-08"), datetime(2026, 10, 1, tzinfo=UTC)
        pages = [page for batch in DumpSource(str(sample_wiki)).pages(window, cutoff, set()) for page in batch.pages]
        toy.train([extract_prose(page.wikitext or "", load_language("en")) for page in pages], folder, steps=20)

    return once(shared_folder / "toy-gpt2", train)


@pytest.fixture(scope="session")
def beside() -> Callable[[str], Path]:
    """A file or folder of real data beside the repository; the test is skipped where there is none."""

    def find(name: str) -> Path:
        path = _ROOT.parent / "shared" / "data" / name
        if not path.exists():
            pytest.skip(f"needs {name}, real data beside the repository")
        return path

    return find


@pytest.fixture(scope="session")
def revision() -> Callable[..., str]:
    def write(number: int, timestamp: str, text: str | None, *, parent: int | None = None) -> str:
        """One <revision>; `text` None is one whose text is hidden."""
        body = '<text deleted="deleted" />' if text is None else f"<text>{escape(text)}</text>"
        above = "" if parent is None else f"<parentid>{parent}</parentid>"
        return (
            f"<revision><id>{number}</id>{above}<timestamp>{timestamp}</timestamp>"
            f"<contributor><ip>192.0.2.1</ip></contributor><model>wikitext</model><format>text/x-wiki</format>{body}"
            "</revision>"
        )

    return write


@pytest.fixture(scope="session")
def page() -> Callable[..., str]:
    def write(number: int, title: str, revisions: Iterable[str], *, namespace: int = 0) -> str:
        head = f"<title>{escape(title)}</title><ns>{namespace}</ns><id>{number}</id>"
        return f"<page>{head}{''.join(revisions)}</page>"

    return write


@pytest.fixture(scope="session")
def export() -> Callable[..., bytes]:
    def write(*pages: str, dbname: str | None = "testwiki", language: str | None = "en") -> bytes:
        return _EXPORT.format(
            language=f' xml:lang="{language}"' if language else "",
            dbname=f"<dbname>{dbname}</dbname>" if dbname else "",
            pages="\n".join(pages),
        ).encode()

    return write
