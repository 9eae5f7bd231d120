"""The entry point of the standalone program."""

import sys

from engine.cli import main

sys.exit(main())
