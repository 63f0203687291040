"""A Prefect server of the tests' own, and processes that run until they are ended."""

import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import requests

from flows.schedule.serve import own_server
from tests.flows.conftest import environment

# What docs/refresh.md tells who starts a server to set, so that it reports to nobody.
AS_THE_DOCS_SAY = {"DO_NOT_TRACK": "1", "PREFECT_SERVER_ANALYTICS_ENABLED": "false"}

# Where Prefect's own commands for work pools look for the kinds of workers that there are; nothing is sent there.
_LOOKED_UP = {"raw.githubusercontent.com:443"}


@dataclass(frozen=True)
class PrefectServer:
    """A running server, with its files in `folder`. `env` is what a process needs to run its flows there."""

    api: str
    env: dict[str, str]
    folder: Path

    def runs(self) -> list[dict[str, Any]]:
        """Every flow run that it knows."""
        return self._asked("flow_runs/filter")

    def ended(self, flow: str) -> list[str]:
        """The states of the flow's runs that have ended."""
        ids = [found["id"] for found in self._asked("flows/filter") if found["name"] == flow]
        return [run["state_type"] for run in self.runs() if run["flow_id"] in ids and run["end_time"]]

    def events(self, name: str) -> int:
        """How many events of this name there are."""
        asked = {"filter": {"event": {"name": [name]}}}
        answer = requests.post(f"{self.api}/events/filter", json=asked, timeout=10)
        answer.raise_for_status()
        return int(answer.json()["total"])

    def limits(self) -> list[str]:
        """The names of the global concurrency limits."""
        return [limit["name"] for limit in self._asked("v2/concurrency_limits/filter")]

    def artifacts_of(self, key: str) -> list[dict[str, Any]]:
        """The artifacts under this key."""
        return [artifact for artifact in self._asked("artifacts/filter") if artifact["key"] == key]

    def artifacts(self) -> set[str]:
        """The keys of all artifacts."""
        return {artifact["key"] for artifact in self._asked("artifacts/filter")}

    def create_work_pool(self, name: str) -> None:
        """As `prefect work-pool create NAME --type process` does, which takes seconds to start."""
        from prefect.workers.process import ProcessWorker

        template = ProcessWorker.get_default_base_job_template()
        pool = {"name": name, "type": "process", "base_job_template": template}
        requests.post(f"{self.api}/work_pools/", json=pool, timeout=10).raise_for_status()

    def run_deployment(self, name: str, **parameters: str) -> None:
        """As `prefect deployment run NAME --param …` does, which takes seconds to start."""
        found = requests.get(f"{self.api}/deployments/name/{name}", timeout=10)
        found.raise_for_status()
        place = f"{self.api}/deployments/{found.json()['id']}/create_flow_run"
        requests.post(place, json={"parameters": parameters}, timeout=10).raise_for_status()

    def _asked(self, what: str) -> list[dict[str, Any]]:
        answer = requests.post(f"{self.api}/{what}", json={}, timeout=10)
        answer.raise_for_status()
        return list(answer.json())


@contextmanager
def prefect_server(folder: Path) -> Iterator[PrefectServer]:
    """`prefect server start`, with its files in the folder."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    home = folder / "prefect"
    home.mkdir()
    env = {"PREFECT_HOME": str(home), **AS_THE_DOCS_SAY}
    with listening() as (proxy, asked), (folder / "server.log").open("wb") as log:
        env |= {"HTTPS_PROXY": proxy, "NO_PROXY": "127.0.0.1,localhost"}
        with own_server(port, environment(**env), log) as api:
            yield PrefectServer(api, env | {"PREFECT_API_URL": api}, folder)
    elsewhere = set(asked) - _LOOKED_UP
    assert not elsewhere, f"Prefect, or one of its clients, wanted to speak to {elsewhere}"


@contextmanager
def listening() -> Iterator[tuple[str, list[str]]]:
    """The address of a proxy that lets nothing out, and whom it was asked for."""
    asked: list[str] = []

    class Refusing(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            asked.append(self.path)
            self.send_error(403)

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def running(arguments: list[str], log: Path, env: dict[str, str]) -> Iterator[None]:
    """A process that writes to `log` and is ended at the end."""
    with log.open("wb") as stream:
        process = subprocess.Popen(
            arguments, env=environment(**env), stdout=stream, stderr=subprocess.STDOUT, cwd=log.parent
        )
        try:
            yield
        finally:
            process.terminate()
            process.wait(30)


def wait_for(what: Callable[[], bool], seconds: float, log: Path) -> None:
    """Until it is so; if it is not in time, the test fails with the end of the log."""
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, log.read_text()[-3000:]
        time.sleep(1)
