"""``python -m census`` and the ``census`` command."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line and leave with its exit code.

    The linear algebra runs on one thread: the products here are thin, so more threads only wait for one
    another, and the order of a sum, so its last digit, would hang on the number of processors.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from census.cli import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
