"""Serve the schedule with the configured Prefect server, or with a server of its own."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import IO, Any

import requests

from newwiki.errors import TerminalError, UsageError

_HOST, _PORT = "127.0.0.1", 4200
_STARTING = 120.0  # seconds


def serve(config: Path, db: str, plugins: Sequence[Path], cron: str, today: date | None) -> None:
    """Run the monthly flow at the times of `cron` (UTC) until interrupted.

    Raises UsageError for an invalid cron expression.
    """
    with _configured_or_own():
        from prefect.client.schemas.schedules import CronSchedule

        from flows.schedule.flow import monthly

        try:
            schedule = CronSchedule(cron=cron, timezone="UTC")
        except ValueError:
            raise UsageError(f"'{cron}' is no cron schedule; daily at 06:00 UTC is --cron '0 6 * * *'") from None
        monthly.serve(
            name="newwiki",
            schedule=schedule,
            parameters={
                "config": str(config.resolve()),
                "db": str(Path(db).resolve()),
                "plugins": [str(plugin.resolve()) for plugin in plugins],
                "today": today and today.isoformat(),
            },
            tags=["newwiki"],
            limit=1,
        )


@contextmanager
def _configured_or_own() -> Iterator[None]:
    """Use the server at PREFECT_API_URL, or start a server; Prefect's ephemeral server does not run schedules."""
    if os.environ.get("PREFECT_API_URL"):
        yield
        return
    port = int(os.environ.get("PREFECT_SERVER_API_PORT", _PORT))
    _require_free(port)
    with own_server(port, os.environ, sys.stderr) as api:
        os.environ["PREFECT_API_URL"] = api
        yield


@contextmanager
def own_server(port: int, env: Mapping[str, str], out: IO[Any]) -> Iterator[str]:
    """Start a Prefect server on this machine, yield the address of its API, and stop the server at the end.

    The server writes its output to `out`. Raises TerminalError if the server does not start.
    """
    # After a restart, the locks of killed runs must expire, and leases in memory do not survive a restart.
    leases = {"PREFECT_SERVER_CONCURRENCY_LEASE_STORAGE": "prefect.server.concurrency.lease_storage.filesystem"}
    start = [sys.executable, "-m", "flows.schedule.guarded_server", _HOST, str(port)]
    # Ctrl-C must not reach the server before its clients, so the server runs in a process group of its own. At the end
    # its input is closed, which stops it; this also happens if this process is killed.
    with subprocess.Popen(
        start, env=leases | dict(env), stdin=subprocess.PIPE, stdout=out, stderr=out, start_new_session=True
    ) as server:
        api = f"http://{_HOST}:{port}/api"
        _wait(server, f"{api}/health")
        yield api


def _require_free(port: int) -> None:
    try:
        socket.create_server((_HOST, port)).close()
    except OSError:
        raise UsageError(
            f"port {port} is taken; if a Prefect server runs there, set PREFECT_API_URL=http://{_HOST}:{port}/api, "
            "otherwise choose a port with PREFECT_SERVER_API_PORT"
        ) from None


def _wait(server: "subprocess.Popen[bytes]", health: str) -> None:
    deadline = time.monotonic() + _STARTING
    while server.poll() is None and time.monotonic() < deadline:
        try:
            if requests.get(health, timeout=2).ok:
                return
        except requests.RequestException:
            time.sleep(0.5)
    raise TerminalError("Prefect's server did not start; what it says stands above")
