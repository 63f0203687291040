"""Run a Prefect server for as long as the process that starts this one lives, however that process ends.

`python -m flows.schedule.guarded_server HOST PORT` reads its standard input, which closes with the starting process.
"""

import subprocess
import sys
import threading

_STOPPING = 20.0  # seconds


def main(host: str, port: str) -> int:
    start = [sys.executable, "-m", "prefect", "server", "start", "--host", host, "--port", port]
    with subprocess.Popen(start, stdin=subprocess.DEVNULL) as server:
        threading.Thread(target=_stop_at_end_of_input, args=[server], daemon=True).start()
        return server.wait()


def _stop_at_end_of_input(server: "subprocess.Popen[bytes]") -> None:
    sys.stdin.buffer.read()
    server.terminate()
    try:
        server.wait(_STOPPING)
    except subprocess.TimeoutExpired:
        server.kill()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
