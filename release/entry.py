"""Where the standalone program starts."""

import sys

from engine.cli import main

sys.exit(main())
