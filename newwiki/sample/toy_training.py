"""Train and save the toy models of the sample wiki."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

Report = Callable[[int, int], None]  # (step, steps)


def fit(
    model: Any,
    loss_of_a_batch: "Callable[[], Tensor]",
    *,
    steps: int,
    rate: float,
    weight_decay: float,
    warm_up: float,
    report: Report | None,
) -> None:
    """Train with AdamW under a one-cycle schedule that rises to `rate` during the share `warm_up` of the steps."""
    import torch

    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=weight_decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=rate, total_steps=steps, pct_start=warm_up)
    model.train()
    for step in range(steps):
        loss_of_a_batch().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
        if report:
            report(step + 1, steps)


def save(folder: Path, model: Any, tokenizer: Any, files: Mapping[str, str]) -> None:
    """Write model, tokenizer and the texts in `files` to `folder`, which appears only when it is complete."""
    unfinished = folder.with_name(folder.name + ".unfinished")
    model.save_pretrained(unfinished)
    tokenizer.save_pretrained(unfinished)
    for name, text in files.items():
        (unfinished / name).write_text(text, "utf-8")
    unfinished.rename(folder)
