"""Silence libraries that print where only newwiki should."""

import atexit
import functools
import os


@functools.cache
def end_quietly() -> None:
    """Discard stderr at exit, in a process that Prefect started or whose flows it ran: after Prefect has run, DuckDB's
    module lists there what it could not free. Everything printed before is shown."""
    atexit.register(lambda: os.dup2(os.open(os.devnull, os.O_WRONLY), 2))


def silence_transformers() -> None:
    """Disable progress bars and warnings of transformers while models are loaded and saved; newwiki reports
    progress."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()
