"""The subcommands beside play: perft, bench, see, eval, options."""
