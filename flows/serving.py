"""The schedule, served: by the Prefect server that is configured, or by one of its own."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import requests

from newwiki.errors import TerminalError, UsageError

_HOST, _PORT = "127.0.0.1", 4200
_STARTING = 120.0  # seconds


def serve(config: Path, db: str, plugins: Sequence[Path], cron: str, today: date | None) -> None:
    """Until it is ended: runs the monthly flow at the times of `cron` (UTC). Raises UsageError for what is no cron."""
    with _server():
        from prefect.client.schemas.schedules import CronSchedule

        from flows.monthly import monthly

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
def _server() -> Iterator[None]:
    """PREFECT_API_URL leads to a server that plans runs: the one that is configured, or one that is ended with us.

    The ephemeral server of Prefect plans nothing, so it will not do.
    """
    if os.environ.get("PREFECT_API_URL"):
        yield
        return
    port = int(os.environ.get("PREFECT_SERVER_API_PORT", _PORT))
    _require_free(port)
    # What a killed run held must be free again after a restart, which leases in memory are not.
    leases = {"PREFECT_SERVER_CONCURRENCY_LEASE_STORAGE": "prefect.server.concurrency.lease_storage.filesystem"}
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", _HOST, "--port", str(port)]
    server = subprocess.Popen(command, env=leases | os.environ, stdout=sys.stderr, start_new_session=True)
    try:
        _wait(server, f"http://{_HOST}:{port}/api/health")
        os.environ["PREFECT_API_URL"] = f"http://{_HOST}:{port}/api"
        yield
    finally:
        server.terminate()
        server.wait()


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
