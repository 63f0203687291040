"""Load the settings in force, and register the metrics of the user's own scorers."""

from pathlib import Path

from newwiki.settings import Settings, load_settings


def settings_in_force(config: Path | None, **flags: str | None) -> Settings:
    """Load the settings and register the scorers that they name.

    Raises UsageError for invalid settings or scorer files.
    """
    settings = load_settings(config, **flags)
    if settings.scorers:
        from evaluators.scorer_metrics import add_scorers

        add_scorers(settings.scorers)
    if settings.pair_scorer != Settings.pair_scorer:
        from evaluators.claims.pair_scorer import read_pair_scorer

        read_pair_scorer(settings.pair_scorer)
    return settings
