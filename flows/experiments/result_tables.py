"""The result tables of all experiments: importing this module declares them (entry point `newwiki.result_tables`)."""

import importlib
import importlib.util
import pkgutil

from flows import experiments
from flows.statements import result_tables  # noqa: F401 (declares the tables that two experiments share)

for _folder in pkgutil.iter_modules(experiments.__path__, f"{experiments.__name__}."):
    if _folder.ispkg and importlib.util.find_spec(f"{_folder.name}.result_tables"):
        importlib.import_module(f"{_folder.name}.result_tables")
