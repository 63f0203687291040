"""A process of the tests begins with the libraries imported, whoever else has processes forked."""

import sys
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from flows.report.browser import query_process
from flows.report.browser.live import Live
from storage.database import Database
from tests.processes import FORKS

_WANTED = ("torch", "sentence_transformers", "newwiki.models.engine.loop", "flows.scoring.score_all", "tests.warm")


def _tell(sender: Connection) -> None:
    sender.send([name for name in _WANTED if name not in sys.modules])


@pytest.mark.slow
def test_a_fork_has_imported_all_before_it_begins(tmp_path: Path) -> None:
    with Database(tmp_path / "newwiki.duckdb").write():
        pass
    assert query_process.ask(Live(Database(tmp_path / "newwiki.duckdb")), "select 1").rows == [(1,)]
    receiver, sender = FORKS.Pipe(duplex=False)
    process = FORKS.Process(target=_tell, args=(sender,))
    process.start()
    assert receiver.poll(240)
    assert receiver.recv() == []
    process.join()
