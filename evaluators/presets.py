"""The scorers that come with the project: every file in the folder `scorers` is a metric."""

from evaluators.scorer import PRESETS, add_preset

for _file in sorted(PRESETS.glob("*.toml")):
    add_preset(_file)
