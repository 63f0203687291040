"""One fork server for all workers of a run, because importing the libraries takes ten seconds of processor time."""

import json
import os
from multiprocessing import connection, forkserver, resource_tracker
from pathlib import Path
from unittest import mock

from tests.once import alone

# Where the workers of this run meet; None outside of pytest, where each process has a server of its own.
folder: Path | None = None


class SharedForkServer(forkserver.ForkServer):
    """The first worker starts the server. It ends with the last worker that uses it."""

    _forkserver_alive_fd: int | None

    def ensure_running(self) -> None:
        if folder is None:
            super().ensure_running()
            return
        if self._forkserver_alive_fd is not None:
            return
        with alone(folder / "forks"):
            if not self._join(folder / "forks.json"):
                self._start(folder / f"forks-{os.getpid()}", folder / "forks.json")

    def _start(self, address: Path, record: Path) -> None:
        # Python's own place for the socket is removed when this worker ends, which need not be the last one.
        with mock.patch.object(connection, "arbitrary_address", return_value=str(address)):
            super().ensure_running()
        state = {name: value for name, value in vars(self).items() if name.startswith("_forkserver_")}
        record.write_text(json.dumps({"starter": os.getpid(), "state": state}))

    def _join(self, record: Path) -> bool:
        """Return whether another worker's server is used from now on. It lives as long as its pipe has a writer."""
        try:
            read = json.loads(record.read_text())
            pipe = f"/proc/{read['starter']}/fd/{read['state']['_forkserver_alive_fd']}"
            alive = os.open(pipe, os.O_WRONLY)
        except OSError:  # nobody has started one, the one who did has ended, or there is no /proc
            return False
        resource_tracker.ensure_running()
        vars(self).update(read["state"], _forkserver_alive_fd=alive)
        return True
