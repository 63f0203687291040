"""The tests. They start hundreds of processes, each of which would compile the whole program anew without bytecode."""

import os
import sys

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
