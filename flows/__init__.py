"""What the product does: steps, the Prefect flows around them, and the command line.

Nothing is sent to anyone: Prefect's two channels of telemetry are closed here, before anything imports Prefect.
"""

import os

os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
# A server for one flow run takes its time to start on a small machine.
os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "120")
