"""The tables of a folder for Hugging Face's `datasets`, as the YAML header of its data card names them."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as parquet

_CONFIG = """\
- config_name: {name}{default}
  data_files:
  - split: test
    path: data/{name}.parquet"""


def configs(files: Sequence[Path]) -> str:
    """Of the Parquet files in `data/`, the first as the default. A table without rows is left out: `datasets` refuses
    it."""
    names = [path.stem for path in files if parquet.read_metadata(path).num_rows]
    return "\n".join(
        _CONFIG.format(name=name, default="\n  default: true" if place == 0 else "") for place, name in enumerate(names)
    )
