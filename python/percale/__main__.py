"""The command `percale`, also as `python -m percale`."""

import shutil
import signal
import sys
import sysconfig
from pathlib import Path

from ._percale import command_line


def _program() -> str:
    """The command that a sweep calls for its cases."""
    scripts = sysconfig.get_path("scripts")
    return shutil.which("percale", path=scripts) or shutil.which("percale") or str(Path(sys.argv[0]).resolve())


def main() -> None:
    """Does what the program does, and ends with its exit code."""
    # The command has handlers of its own, and ends at a signal where it has none.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(command_line(_program(), ["percale", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
