"""Where log lines of libraries go in the tests."""

import sys


def spare_the_tests_own_output() -> None:
    """absl, which openvino brings, closes its stream where all handlers of log lines are closed, as Prefect does when
    it sets its own; unless it is sys.stderr at that moment, which is another one where a test captures that."""
    if absl := sys.modules.get("absl.logging"):
        absl.get_absl_handler().python_handler.stream = sys.__stderr__
