"""`python -m engine` is the same as `sortie`."""

import sys

from engine.cli import main

if __name__ == "__main__":
    sys.exit(main())
