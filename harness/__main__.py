"""`python -m harness` is the command `gauntlet`."""

from harness.cli import main

main()
