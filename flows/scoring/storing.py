"""Store the results of a scoring in as few transactions as possible."""

from collections.abc import Iterator
from contextlib import contextmanager

from flows.scoring.loaded_evaluators import LoadedEvaluators
from storage import runs
from storage.database import Database


class Storing:
    """The transactions of a scoring. The first transaction also registers the evaluators and their metrics."""

    def __init__(self, database: Database, loaded: LoadedEvaluators) -> None:
        self._database = database
        self._fingerprints = list(loaded.fingerprints.values())
        self._metrics = [
            metric for evaluator in (*loaded.evaluators, *loaded.set_evaluators) for metric in evaluator.metrics
        ]
        self.entered = runs.is_registered(database, self._fingerprints, self._metrics)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._database.write():
            if not self.entered:
                runs.register(self._database, self._fingerprints, self._metrics)
            yield
        self.entered = True
