"""A real bash, in which `newwiki` and `python` are processes forked where the libraries are imported already.

On the PATH stands a small client of those names. It hands its arguments, folder, environment, input and output to a
fork, so that pipes, redirections, exports and exit statuses are bash's own. See `tests/processes.py`.
"""

import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from tests.processes import FORKS, settle

_CLIENT = """#!{python} -IS
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
said = json.dumps([["{name}", *sys.argv[1:]], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(server, [len(said).to_bytes(8, "big")], [0, 1, 2])
server.sendall(said)
sys.exit(int(server.recv(8) or 70))
"""

Prepare = Callable[[], None]


class Shell:
    """One reader's shell: what a block exports, the next one has. `prepare` runs in each fork first."""

    def __init__(self, folder: Path, scratch: Path, env: dict[str, str], prepare: Prepare) -> None:
        self.folder, self._prepare = folder, prepare
        self._exports = scratch / "exports.sh"
        self._exports.touch()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(scratch / "s"))
        self._listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()
        for name in ("newwiki", "python"):
            client = scratch / "bin" / name
            client.parent.mkdir(exist_ok=True)
            client.write_text(_CLIENT.format(python=sys.executable, address=str(scratch / "s"), name=name))
            client.chmod(0o755)
        path = os.pathsep.join([str(scratch / "bin"), str(Path(sys.executable).parent), env["PATH"]])
        self._env = env | {"PATH": path}

    def run(self, commands: str, seconds: float = 240) -> subprocess.CompletedProcess[str]:
        """Up to the first command that fails. What runs after so many seconds is ended, with all that it began."""
        script = f'set -euo pipefail\nsource "{self._exports}"\n{commands}\nexport -p > "{self._exports}"\n'
        with subprocess.Popen(
            ["bash", "-c", script], cwd=self.folder, env=self._env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
        ) as bash:  # fmt: skip
            try:
                out, err = bash.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                os.killpg(bash.pid, signal.SIGKILL)
                raise
        return subprocess.CompletedProcess(commands, bash.returncode, out, err)

    def close(self) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        with client:
            process = FORKS.Process(target=_fork, args=(client, self._prepare))
            process.start()
            process.join()
            client.sendall(str(process.exitcode).encode())


def _fork(client: socket.socket, prepare: Prepare) -> None:
    length, standard, *_ = socket.recv_fds(client, 8, 3)
    said = b""
    while len(said) < int.from_bytes(length, "big"):
        said += client.recv(1 << 16)
    for number, one in enumerate(standard):
        os.dup2(one, number)
        os.close(one)
    (name, *arguments), folder, env = json.loads(said)
    settle([name, *arguments], Path(folder), env)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    prepare()
    if name == "newwiki":
        from newwiki import main

        main()
    _python(*arguments)


def _python(first: str, *rest: str) -> None:
    """What the interpreter does with a file, or with -m and a module."""
    sys.path.insert(0, os.getcwd())
    sys.argv = [first, *rest]
    if first == "-m":
        sys.argv = [*rest]
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(first, run_name="__main__")
