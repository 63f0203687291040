"""Fit a language model to examples with transformers' Trainer, in a folder where an interrupted training resumes."""

import json
import math
import shutil
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import PrinterCallback, Trainer, TrainerCallback, TrainingArguments

from newwiki.errors import TerminalError
from newwiki.models.engine.memory import is_out_of_memory
from newwiki.quiet import silence_transformers
from newwiki.training.examples import Example, padded
from newwiki.training.steps import by_step
from newwiki.training_requests import FinetuneRequest

Report = Callable[[int, int, str], None]  # (steps done, total steps, status text)
_POINTS = 10  # points of the training loss between two checkpoints


@dataclass(frozen=True)
class Loss:
    """The mean cross-entropy in nats per token: of training since the last point, or of the held-out texts."""

    step: int
    training: float | None = None
    validation: float | None = None


def fit(
    model: Any,
    save_others: Callable[[Path], None],
    training: Sequence[Example],
    validation: Sequence[Example],
    request: FinetuneRequest,
    every: int,
    folder: Path,
    report: Report,
) -> list[Loss]:
    """Train the model as requested and return the loss curve: AdamW without weight decay, a learning rate that falls
    linearly to 0, gradient norms of at most 1. Every `every` steps, writes a checkpoint to `folder`, where the newest
    ones stay as requested, and computes the validation loss.

    Resumes from the newest complete checkpoint, and ends with the same weights as an uninterrupted training: on a CPU
    to the last bit. `save_others` adds everything but the weights to a checkpoint. Raises TerminalError for a loss that
    is NaN or infinite, and for a batch that does not fit into memory.
    """
    silence_transformers()
    trainer = _trainer_class(save_others)(
        model=model,
        args=_arguments(request, every, folder, bool(validation)),
        train_dataset=list(training),
        eval_dataset=list(validation) or None,
        data_collator=padded,
        callbacks=[_Progress(report)],
    )
    trainer.remove_callback(PrinterCallback)
    try:
        with _deterministic():
            before = [Loss(0, validation=trainer.evaluate()["eval_loss"])] if validation else []
            trainer.train(resume_from_checkpoint=_newest(folder))
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        raise TerminalError(
            f"a batch of {request.batch_size} texts does not fit into memory; train on smaller batches, lower "
            "--max-length, or use --dtype bfloat16"
        ) from error
    model.eval()
    return before + _curve(trainer.state.log_history)


def _arguments(request: FinetuneRequest, every: int, folder: Path, validates: bool) -> TrainingArguments:
    arguments = TrainingArguments(
        output_dir=str(folder),
        num_train_epochs=request.epochs,
        per_device_train_batch_size=request.batch_size,
        per_device_eval_batch_size=request.batch_size,
        learning_rate=request.learning_rate,
        lr_scheduler_type="linear",
        weight_decay=0.0,
        max_grad_norm=1.0,
        optim="adamw_torch",
        bf16=request.dtype == "bfloat16",
        use_cpu=not torch.cuda.is_available(),
        seed=request.seed,
        save_strategy="steps",
        save_steps=every,
        save_total_limit=max(request.keep_checkpoints, 1),
        eval_strategy="steps" if validates else "no",
        eval_steps=every,
        logging_strategy="steps",
        logging_steps=max(1, every // _POINTS),
        logging_nan_inf_filter=False,
        prediction_loss_only=True,
        remove_unused_columns=False,
        dataloader_pin_memory=False,
        disable_tqdm=True,
        report_to="none",
    )
    if arguments.n_gpu > 1:
        arguments._n_gpu = 1  # a batch has --batch-size texts, however many GPUs there are
    return arguments


def _trainer_class(save_others: Callable[[Path], None]) -> type[Trainer]:
    class Saving(Trainer):
        """Saves the other files before the file that marks a checkpoint as complete."""

        def save_model(self, output_dir: str | None = None, _internal_call: bool = False) -> None:
            super().save_model(output_dir, _internal_call)
            save_others(Path(output_dir or self.args.output_dir))

    return Saving


class _Progress(TrainerCallback):
    """Reports progress, and logs both losses at each checkpoint, also the last one, so that no mean spans two
    checkpoints."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._words: dict[str, str] = {}

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        control.should_log = control.should_log or control.should_save
        control.should_evaluate = control.should_save and args.do_eval
        self._report(state.global_step, state.max_steps, ", ".join(self._words.values()))

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, float], **_: Any) -> None:
        for name, words in (("loss", "loss"), ("eval_loss", "held out")):
            if name in logs:
                if not math.isfinite(logs[name]):
                    raise TerminalError(
                        f"the loss became {logs[name]} at step {state.global_step}; lower --learning-rate, and name "
                        "a new folder with --out"
                    )
                self._words[name] = f"{words} {logs[name]:.3f}"
        self._report(state.global_step, state.max_steps, ", ".join(self._words.values()))


def _newest(folder: Path) -> str | None:
    """Return the newest complete checkpoint, and delete incomplete ones that are newer."""
    for checkpoint in reversed(by_step(folder)):
        try:
            json.loads((checkpoint / "trainer_state.json").read_bytes())
        except (ValueError, FileNotFoundError):
            shutil.rmtree(checkpoint)
        else:
            return str(checkpoint)
    return None


@contextmanager
def _deterministic() -> Any:
    """Use torch's deterministic kernels on a CPU; on a GPU some models would fail, because not all kernels have
    them."""
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(before or not torch.cuda.is_available())
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)


def _curve(history: Sequence[dict[str, Any]]) -> list[Loss]:
    """Return the points of the Trainer's log, one per step."""
    points: dict[int, Loss] = {}
    for entry in history:
        step = int(entry["step"])
        known = points.get(step, Loss(step))
        points[step] = Loss(step, entry.get("loss", known.training), entry.get("eval_loss", known.validation))
    return [point for point in points.values() if (point.training, point.validation) != (None, None)]
