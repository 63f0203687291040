"""Read a stored answer once for its tables and figures."""

from dataclasses import dataclass
from typing import Self

from flows.experiments.fairness.result_tables import (
    AdvantageChange,
    DiversityCorrelation,
    FairnessSetting,
    FairnessSwap,
    GroupDisparity,
    GroupPair,
    GroupShare,
)
from storage import experiments
from storage.database import Database


@dataclass(frozen=True)
class Found:
    settings: list[FairnessSetting]
    shares: list[GroupShare]
    pairs: list[GroupPair]
    disparities: list[GroupDisparity]
    changes: list[AdvantageChange]
    correlations: list[DiversityCorrelation]
    swaps: list[FairnessSwap]

    @classmethod
    def read(cls, database: Database, experiment_id: str) -> Self:
        return cls(
            experiments.rows(database, FairnessSetting, experiment_id),
            experiments.rows(database, GroupShare, experiment_id),
            experiments.rows(database, GroupPair, experiment_id),
            experiments.rows(database, GroupDisparity, experiment_id),
            experiments.rows(database, AdvantageChange, experiment_id),
            experiments.rows(database, DiversityCorrelation, experiment_id),
            experiments.rows(database, FairnessSwap, experiment_id),
        )

    def value(self, model: str, sweep: str, place: int) -> str:
        """Return the name of a setting."""
        return next(one.setting for one in self.settings if (one.model, one.sweep, one.place) == (model, sweep, place))

    def values(self, model: str, sweep: str) -> list[str]:
        """Return the settings of a sweep in their order."""
        of_sweep = [one for one in self.settings if (one.model, one.sweep) == (model, sweep)]
        return [one.setting for one in sorted(of_sweep, key=lambda one: one.place)]

    @property
    def models(self) -> list[str]:
        return list(dict.fromkeys(one.model for one in self.settings))

    @property
    def sweeps(self) -> list[str]:
        return list(dict.fromkeys(one.sweep for one in self.settings))

    @property
    def metrics(self) -> list[str]:
        return list(dict.fromkeys(one.metric for one in self.shares))
