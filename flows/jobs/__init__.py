"""The machinery of jobs: a command and its Python function are both derived from one declaration (`job.py`)."""
