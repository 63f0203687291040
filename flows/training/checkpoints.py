"""The checkpoints of a training run, evaluated one after the other as they appear."""

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

Evaluate = Callable[[Path, Mapping[str, str]], None]  # a checkpoint, and the arguments that its backend gets for it


@dataclass
class Watch:
    """A folder under watch. A checkpoint is whole when nothing in it has changed for `settle` seconds, or sooner where
    its trainer says so; `given` are the model arguments that hold for all."""

    folder: Path
    evaluate: Evaluate
    progress: Progress
    settle: float
    given: Mapping[str, str] = field(default_factory=dict)
    _done: list[str] = field(default_factory=list)
    _failed: list[str] = field(default_factory=list)
    _told: set[str] = field(default_factory=set)

    def once(self) -> None:
        """Evaluates what is whole, in the order of steps. Raises TerminalError where one could not be evaluated."""
        while checkpoint := self._next():
            self._try(checkpoint)
        if self._failed:
            tried = len(self._failed) + len(self._done)
            raise TerminalError(
                f"{len(self._failed)} of {tried} checkpoints in '{self.folder}' cannot be evaluated: "
                f"{', '.join(self._failed)}; see the notes above"
            )

    def forever(self, poll: float) -> None:
        """Looks every so many seconds, until Ctrl-C while there is nothing to do."""
        while True:
            try:
                while not (checkpoint := self._next()):
                    self._say(f"checkpoints of '{self.folder}' evaluated: {len(self._done)}; waiting, until Ctrl-C")
                    time.sleep(poll)
            except KeyboardInterrupt:
                return
            self._try(checkpoint)

    def _next(self) -> Path | None:
        """The whole checkpoint with the smallest step that was not tried yet; of others it is said why not."""
        for checkpoint in by_step(self._home()):
            if checkpoint.name in {*self._done, *self._failed}:
                continue
            if reason := lacking(checkpoint, self.settle):
                self._say(f"{checkpoint} is left until it is whole: {reason}")
            else:
                return checkpoint
        return None

    def _home(self) -> Path:
        """Where the checkpoints are: beside the model, or where `newwiki finetune` is still at work on it."""
        if self.folder.is_dir():
            return self.folder
        if (place := unfinished(self.folder)).is_dir():
            return place
        raise UsageError(
            f"there is no folder '{self.folder}'; name the one that a training run writes its checkpoints to"
        )

    def _try(self, checkpoint: Path) -> None:
        try:
            self.evaluate(checkpoint, {**_tokenizer(checkpoint, self.given), **self.given})
        except UsageError:
            raise
        except NewWikiError as error:
            self.progress.note(f"{checkpoint} cannot be evaluated: {error}")
            if isinstance(error, TransientError):
                time.sleep(self.settle)  # and it is tried again
            else:
                self._failed.append(checkpoint.name)
        else:
            self._done.append(checkpoint.name)

    def _say(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self.progress.note(text)


def _tokenizer(checkpoint: Path, given: Mapping[str, str]) -> dict[str, str]:
    """Where the tokenizer is if the checkpoint has none. Raises TerminalError where it is nowhere."""
    if "tokenizer" in given or has_tokenizer(checkpoint):
        return {}
    if has_tokenizer(checkpoint.parent):
        return {"tokenizer": str(checkpoint.parent)}
    if (checkpoint / adapters.CONFIG).exists():
        return {}  # its base's
    raise TerminalError(
        f"it has no tokenizer, nor has '{checkpoint.parent}'; add --model-args tokenizer=FOLDER, as save_pretrained "
        "wrote it"
    )
