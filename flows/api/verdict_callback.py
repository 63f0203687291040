"""Judge each checkpoint that transformers' Trainer saves, while the training goes on."""

from pathlib import Path
from typing import Any

import torch
from transformers import Trainer, TrainerCallback

from flows.commands.evaluate import evaluate
from flows.commands.verdict import verdict
from flows.jobs.python_function import python_function
from newwiki.decoding.grammar import parse

_evaluate, _verdict = python_function(evaluate), python_function(verdict)
_SIGNS = {"better": 1, "worse": -1}


class VerdictCallback(TrainerCallback):  # type: ignore[misc]
    """A callback that evaluates each saved checkpoint, and logs whether it is better than a stored run.

        trainer.add_callback(VerdictCallback(trainer, "gpt2/greedy", prompts=40))

    `against` names the run to judge against; None is the first checkpoint that is saved. `decoder` writes the texts of
    the checkpoints. `db` is the database; `options` are further options of `newwiki.evaluate`, with the settings of
    the run to judge against. Only the main process evaluates. The training stays the same to the bit.

    The Trainer logs `newwiki/verdict` (1 better, −1 worse, 0 anything else) and, for the metric that the verdict rests
    on, `newwiki/METRIC` with `newwiki/METRIC_difference`, `_low` and `_high`. So they go wherever the arguments'
    `report_to` sends the loss: Weights & Biases, MLflow, trackio and others. The sentence is in `sentences`, by step.
    """

    def __init__(
        self,
        trainer: Trainer,
        against: str | None = None,
        *,
        decoder: str = "greedy",
        db: str | Path | None = None,
        **options: Any,
    ) -> None:
        self.sentences: dict[int, str] = {}
        self._trainer = trainer
        self._against = against
        self._decoder = decoder
        self._db = db
        self._options = options

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if not state.is_world_process_zero:
            return
        checkpoint = Path(args.output_dir) / f"checkpoint-{state.global_step}"
        with torch.random.fork_rng():
            _evaluate(str(checkpoint), decoder=self._decoder, db=self._db, quiet=True, **self._options)
        name = f"{checkpoint}/{parse(self._decoder)[0].short}"
        if self._against is None:
            self._against = name
            return
        [judged] = _verdict(name, self._against, db=self._db, quiet=True).to_pylist()
        self.sentences[state.global_step] = judged["sentence"]
        metric = f"newwiki/{judged['metric']}"
        numbers = {
            "newwiki/verdict": _SIGNS.get(judged["verdict"], 0),
            metric: judged["mean_candidate"],
            **{f"{metric}_{name}": judged[name] for name in ("difference", "low", "high")},
        }
        self._trainer.log({name: number for name, number in numbers.items() if number is not None})
