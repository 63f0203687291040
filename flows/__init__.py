"""The steps of the product, the Prefect flows around them, and the command line.

Prefect's two telemetry channels are switched off in this module, before any import of Prefect.
"""

import os

os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
# A temporary Prefect server needs this long to start on a small machine.
os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "120")
