"""Libraries that speak where only we should."""


def silence_transformers() -> None:
    """No bars and no advice from transformers while models are loaded and saved: progress is told in one voice."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()
