"""`newwiki ARGUMENTS` as a process of its own, forked where the libraries are imported already.

A process is what a stranger starts: it has its own folder, environment and exit status, and can be killed. Only the
seconds of importing torch are spared, which would be most of the suite's time.
"""

import gc
import os
import signal
import sys
import threading
from collections.abc import Sequence
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext, ForkServerProcess
from multiprocessing.popen_forkserver import Popen
from multiprocessing.process import BaseProcess
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory
from unittest import mock

from tests.fork_server import SharedForkServer
from tests.new_databases import copied_in_fork
from tests.quick import ROOT, loaded

_ROOMS = ("newwiki", "evaluators", "storage", "flows")
_LIBRARIES = (
    "sentence_transformers", "spacy.lang.en", "duckdb", "pandas", "scipy.stats", "sacrebleu", "mwparserfromhell",
    "altair", "vl_convert", "transformers.models.auto.modeling_auto", "transformers.models.gpt2.modeling_gpt2",
    "transformers.models.bert.modeling_bert",
)  # fmt: skip


def _modules() -> list[str]:
    """All of this program that goes without Prefect, which few commands need."""
    files = [file.relative_to(ROOT) for room in _ROOMS for file in sorted((ROOT / room).rglob("*.py"))]
    return [
        ".".join(file.with_suffix("").parts).removesuffix(".__init__")
        for file in files
        if file.name != "__main__.py" and "prefect" not in loaded(ROOT / file)
    ]


_NOWHERE = Path(os.devnull)
# One of the tests' own: multiprocessing has one for all, and the program has that one import what it wants itself.
_SERVER = SharedForkServer()
_ONE_AT_A_TIME = threading.Lock()
# This module among them: a fork that had to import it would look through all of the program's files first.
_SERVER.set_forkserver_preload([*_modules(), *_LIBRARIES, "tests.warm", "tests.processes"])


class _ForkOfOurs(Popen):
    def _launch(self, process_obj: BaseProcess) -> None:
        ours = mock.patch.object(forkserver, "connect_to_new_process", _SERVER.connect_to_new_process)
        with _ONE_AT_A_TIME, ours:
            super()._launch(process_obj)  # type: ignore[misc]


class _Process(ForkServerProcess):
    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Popen:
        return _ForkOfOurs(process_obj)


class _Forks(ForkServerContext):
    Process = _Process


FORKS = _Forks()


def start(
    arguments: Sequence[object], folder: Path, env: dict[str, str], out: Path = _NOWHERE, err: Path = _NOWHERE
) -> ForkServerProcess:
    """The running process."""
    process = FORKS.Process(target=_newwiki, args=([*map(str, arguments)], folder, env, out, err))
    process.start()
    return process


def run(arguments: Sequence[object], folder: Path, env: dict[str, str], seconds: float = 240) -> CompletedProcess[str]:
    """What the process wrote, and its exit status."""
    with TemporaryDirectory() as name:
        out, err = Path(name, "out"), Path(name, "err")
        process = start(arguments, folder, env, out, err)
        process.join(seconds)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise TimeoutError(f"newwiki {' '.join(map(str, arguments))} took over {seconds} s")
        return CompletedProcess(
            [*map(str, arguments)], process.exitcode, out.read_text("utf-8"), err.read_text("utf-8")
        )


def _newwiki(arguments: Sequence[str], folder: Path, env: dict[str, str], out: Path, err: Path) -> None:
    for number, file in ((1, out), (2, err)):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), number)
    settle(["newwiki", *arguments], folder, env)

    from newwiki import main

    main()


def settle(arguments: Sequence[str], folder: Path, env: dict[str, str]) -> None:
    """Makes this process one that was started there, with the output that has been put in the place of its own."""
    gc.freeze()  # what was imported before the fork is shared as long as nobody, such as the collector, touches it
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests run in a shell's background
    copied_in_fork()
    sys.argv = [*arguments]
