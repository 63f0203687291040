"""`newwiki ARGUMENTS` in this process: what it writes and its exit status, as of a process of its own.

What a process alone can show (a signal, how it ends, Prefect's settings) is for `tests.processes`. What loads a model
is done here in a third of the time, as the libraries of models are warm.
"""

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from unittest import mock

from newwiki import registry
from tests.log_streams import spare_the_tests_own_output

_REGISTRIES = (
    registry.evaluators, registry.makers, registry.set_evaluators, registry.reading_evaluators, registry.decoders,
    registry.sources, registry.models,
)  # fmt: skip


def run(arguments: Sequence[object], folder: Path, env: dict[str, str]) -> CompletedProcess[str]:
    """What the command wrote, and its exit status. The user's own pieces are those of this command alone."""
    from flows import cli

    written = [*map(str, arguments)]
    out, err = io.StringIO(), io.StringIO()
    spare_the_tests_own_output()
    with (
        mock.patch.dict(os.environ, env, clear=True),
        mock.patch.object(sys, "argv", ["newwiki", *written]),
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        own_pieces(),
    ):
        status = cli.main()
    return CompletedProcess(written, status, out.getvalue(), err.getvalue())


@contextlib.contextmanager
def own_pieces() -> Iterator[None]:
    """What is registered from here on is forgotten at the end."""
    with contextlib.ExitStack() as patched:
        patched.enter_context(mock.patch.object(registry, "_plugins", registry.loaded_plugins()))
        for one in _REGISTRIES:
            patched.enter_context(mock.patch.object(one, "_pieces", dict(one.all())))
        yield
