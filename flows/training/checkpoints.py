"""Evaluate the checkpoints of a training run in sequence as they appear."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from flows.progress import Progress
from flows.training.output_folder import unfinished
from newwiki.errors import NewWikiError, TerminalError, TransientError, UsageError
from newwiki.models import adapters
from newwiki.models.checkpoint import has_tokenizer
from newwiki.training.steps import by_step, lacking

Evaluate = Callable[[Path, Mapping[str, str]], None]  # called with a checkpoint and its model arguments


@dataclass
class Watch:
    """A folder of checkpoints under watch.

    A checkpoint counts as complete if no file in it has changed for `settle` seconds, or earlier if its trainer marks
    it as complete. `arguments` holds the model arguments for all checkpoints.
    """

    folder: Path
    evaluate: Evaluate
    progress: Progress
    settle: float
    arguments: Mapping[str, str] = field(default_factory=dict)
    _done: list[str] = field(default_factory=list)
    _failed: list[str] = field(default_factory=list)
    _noted: set[str] = field(default_factory=set)

    def once(self) -> None:
        """Evaluate all complete checkpoints in the order of their steps.

        Raises TerminalError if an evaluation failed.
        """
        while checkpoint := self._next():
            self._try(checkpoint)
        if self._failed:
            tried = len(self._failed) + len(self._done)
            raise TerminalError(
                f"{len(self._failed)} of {tried} checkpoints in '{self.folder}' cannot be evaluated: "
                f"{', '.join(self._failed)}; see the notes above"
            )

    def forever(self, poll: float) -> None:
        """Check for new checkpoints every `poll` seconds, until Ctrl-C during a wait."""
        while True:
            try:
                while not (checkpoint := self._next()):
                    self._say(f"checkpoints of '{self.folder}' evaluated: {len(self._done)}; waiting, until Ctrl-C")
                    time.sleep(poll)
            except KeyboardInterrupt:
                return
            self._try(checkpoint)

    def _next(self) -> Path | None:
        """Return the complete checkpoint with the smallest untried step, and note why other checkpoints are skipped."""
        for checkpoint in by_step(self._home()):
            if checkpoint.name in {*self._done, *self._failed}:
                continue
            if reason := lacking(checkpoint, self.settle):
                self._say(f"{checkpoint} is left until it is whole: {reason}")
            else:
                return checkpoint
        return None

    def _home(self) -> Path:
        """Return the folder of the checkpoints: the model's folder, or the unfinished folder of `newwiki finetune`.

        Raises UsageError if neither folder exists.
        """
        if self.folder.is_dir():
            return self.folder
        if (place := unfinished(self.folder)).is_dir():
            return place
        raise UsageError(
            f"there is no folder '{self.folder}'; name the one that a training run writes its checkpoints to"
        )

    def _try(self, checkpoint: Path) -> None:
        try:
            self.evaluate(checkpoint, {**_tokenizer(checkpoint, self.arguments), **self.arguments})
        except UsageError:
            raise
        except NewWikiError as error:
            self.progress.note(f"{checkpoint} cannot be evaluated: {error}")
            if isinstance(error, TransientError):
                time.sleep(self.settle)  # the caller's next pass retries the checkpoint
            else:
                self._failed.append(checkpoint.name)
        else:
            self._done.append(checkpoint.name)

    def _say(self, text: str) -> None:
        if text not in self._noted:
            self._noted.add(text)
            self.progress.note(text)


def _tokenizer(checkpoint: Path, arguments: Mapping[str, str]) -> dict[str, str]:
    """Return the tokenizer argument for a checkpoint without its own tokenizer.

    Raises TerminalError if no tokenizer is found.
    """
    if "tokenizer" in arguments or has_tokenizer(checkpoint):
        return {}
    if has_tokenizer(checkpoint.parent):
        return {"tokenizer": str(checkpoint.parent)}
    if (checkpoint / adapters.CONFIG).exists():
        return {}  # the adapter uses the tokenizer of its base model
    raise TerminalError(
        f"it has no tokenizer, nor has '{checkpoint.parent}'; add --model-args tokenizer=FOLDER, as save_pretrained "
        "wrote it"
    )
