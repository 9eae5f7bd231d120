"""`python -m harness` is the same as `gauntlet`."""

from harness.cli import main

main()
