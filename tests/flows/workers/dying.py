"""A plug-in: the backend `hf`, but one that dies, or refuses, when it is to write a certain page."""

import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

from newwiki.decoding.grammar import Decoder
from newwiki.errors import TerminalError
from newwiki.models.backend import Writing, model
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.records import Completion, Prompt


@model("dying")
class DyingModel(HuggingFaceModel):
    """Whoever is to write `page` removes the file `once` and is killed. Without `once` the page is refused."""

    def __init__(self, name: str, *, page: str = "0", once: str = "", **loading: str) -> None:
        super().__init__(name, **loading)
        self._page, self._once = int(page), once

    @classmethod
    def find(cls, name: str, *, page: str = "0", once: str = "", **loading: str) -> object:  # type: ignore[override]
        return super().find(name, **loading)

    def complete(
        self, requests: Sequence[tuple[Prompt, int]], decoder: Decoder, writing: Writing
    ) -> Iterator[list[Completion]]:
        if any(prompt.page_id == self._page for prompt, _ in requests):
            if not self._once:
                raise TerminalError(f"page {self._page} cannot be written")
            if Path(self._once).exists():
                Path(self._once).unlink()
                os.kill(os.getpid(), signal.SIGKILL)
        return super().complete(requests, decoder, writing)
