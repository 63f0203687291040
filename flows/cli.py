"""The command line. Each command is in the file of its name in the folder `commands`."""

import atexit
import os
import sys
import traceback
from importlib import import_module
from pkgutil import iter_modules
from typing import NoReturn

import click

from flows import commands
from flows.listing import CommandGroup
from flows.options import debug_option, is_debugging
from flows.printing import allow_any_encoding, say
from flows.unexpected import in_one_line
from newwiki.errors import NewWikiError


def main() -> int:
    """Run a command and return its exit status: 0 (done), 1 (failed) or 2 (misuse).

    A failure prints one line with the reason, and with `--debug` the traceback before it. A group of commands without a
    command, such as `newwiki`, prints its help.
    """
    allow_any_encoding()
    try:
        status = cli.main(prog_name="newwiki", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except NewWikiError as error:
        return _say(str(error), error.exit_status)
    except click.exceptions.NoArgsIsHelpError as error:
        say(error.format_message())
        return 0
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "newwiki"
        return _say(f"{error.format_message().rstrip('.')} (see {command} --help)", 2)
    except click.ClickException as error:
        return _say(error.format_message(), 1)
    except (click.Abort, KeyboardInterrupt):
        return _say("interrupted: run the same command again to resume", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001 (the one place that turns an unexpected error into a line)
        return _say(in_one_line(error), 1)


def _say(message: str, status: int) -> int:
    if is_debugging():
        say(traceback.format_exc().rstrip(), err=True)
    say(f"newwiki: {' '.join(message.split())}", err=True)
    return status


def leave(status: int) -> NoReturn:
    """End the process, at once if Prefect was loaded.

    Prefect's daemon threads would keep the module of DuckDB alive beyond the interpreter, which then prints a list of
    everything that it could not free.
    """
    if "prefect" in sys.modules:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(package_name="newwiki-eval", prog_name="newwiki")
@debug_option
def cli() -> None:
    """Evaluate language models on newly written Wikipedia articles.

    See the options and examples of a command with: newwiki COMMAND --help
    """


# Commands of earlier versions, which still work and are not listed: the words of the command that each stands for.
ALIASES = {
    "check": "bundle check",
    "decoders": "list decoders",
    "gate": "compare --fail-if",
    "keygen": "bundle keygen",
    "metrics": "list metrics",
    "pull": "sync pull",
    "push": "sync push",
    "submit": "bundle submit",
}

for _file in iter_modules(commands.__path__):
    cli.add_command(getattr(import_module(f"flows.commands.{_file.name}"), _file.name))
for _old, _new in ALIASES.items():
    cli.add_alias(_old, _new)
