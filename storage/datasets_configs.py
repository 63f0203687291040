"""List the tables of a folder for Hugging Face's `datasets`, in the YAML header of the data card."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as parquet

_CONFIG = """\
- config_name: {name}{default}
  data_files:
  - split: test
    path: data/{name}.parquet"""


def configs(files: Sequence[Path]) -> str:
    """Return the configurations of the Parquet files in `data/`; the first is the default.

    Tables without rows are left out, because `datasets` fails on an empty table.
    """
    names = [path.stem for path in files if parquet.read_metadata(path).num_rows]
    return "\n".join(
        _CONFIG.format(name=name, default="\n  default: true" if place == 0 else "") for place, name in enumerate(names)
    )
