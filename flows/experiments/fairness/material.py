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
        return next(
            setting.setting
            for setting in self.settings
            if (setting.model, setting.sweep, setting.place) == (model, sweep, place)
        )

    def values(self, model: str, sweep: str) -> list[str]:
        """Return the settings of a sweep in their order."""
        sweep_settings = [setting for setting in self.settings if (setting.model, setting.sweep) == (model, sweep)]
        return [setting.setting for setting in sorted(sweep_settings, key=lambda setting: setting.place)]

    @property
    def models(self) -> list[str]:
        return list(dict.fromkeys(setting.model for setting in self.settings))

    @property
    def sweeps(self) -> list[str]:
        return list(dict.fromkeys(setting.sweep for setting in self.settings))

    @property
    def metrics(self) -> list[str]:
        return list(dict.fromkeys(share.metric for share in self.shares))
