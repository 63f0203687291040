"""The report, the browser pages and the judging page."""
