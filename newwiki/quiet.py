"""Libraries that speak where only we should."""

import atexit
import functools
import os


@functools.cache
def end_quietly() -> None:
    """For a process that Prefect started, or whose flows it ran: DuckDB's module lists on stderr what it could not free
    when an interpreter ends in which Prefect has been at work. What is said until then is said."""
    atexit.register(lambda: os.dup2(os.open(os.devnull, os.O_WRONLY), 2))


def silence_transformers() -> None:
    """No bars and no advice from transformers while models are loaded and saved: progress is told in one voice."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()
