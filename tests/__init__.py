"""A package by name, so that processes find it where site-packages holds a `tests` of its own.

The tests start hundreds of processes, each of which would compile the whole program if there were no bytecode.
"""

import os
import sys

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
