"""What the tests share: the command `tamis`, whose files and answers must be the same."""

import os
import shutil
import subprocess
from collections.abc import Callable

import pytest

Command = Callable[..., str]


@pytest.fixture(scope="session")
def command() -> Command:
    """Runs `tamis` (named by the variable TAMIS, or on the path) and gives what it prints."""
    program = os.environ.get("TAMIS") or shutil.which("tamis")
    if program is None:
        pytest.fail("there is no command tamis: name it in the variable TAMIS")

    def run(*arguments: object, input: str | None = None) -> str:
        words = [program, *map(str, arguments)]
        done = subprocess.run(words, input=input, capture_output=True, text=True, check=False)
        # 1 says that nothing was found.
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    return run
