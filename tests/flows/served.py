"""Serves the refresh of the sample wiki every minute: `python served.py DATABASE EXPORT`."""

import sys

from flows.refresh import refresh
from flows.steps.refresh import RefreshRequest
from newwiki.records import Window

if __name__ == "__main__":
    database, export = sys.argv[1:]
    request = RefreshRequest(Window.month("2026-09"))
    parameters = {"db": database, "source": "dump", "place": export, "request": request}
    refresh.serve(name="every-minute", cron="* * * * *", parameters=parameters)
