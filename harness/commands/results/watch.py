"""`gauntlet watch`: the live page of a run."""

from __future__ import annotations

import click


@click.command(name="watch")
@click.argument("folder", metavar="DIR")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to listen on; 0 picks a free one.",
)
@click.option(
    "--token",
    metavar="WORD",
    help="Word (8 characters or more; auto makes one) that lets a reader stop or pause the run or change its slots.",
)
def command(folder: str, host: str, port: int, token: str | None) -> None:
    """Show the run in DIR in a browser while it goes on. Prints the address; Ctrl-C ends it."""
    import secrets

    from harness.report import live_server as watch

    try:
        watch.serve(folder, host, port, click.echo, secrets.token_urlsafe(16) if token == "auto" else token or "")
    except KeyboardInterrupt:
        # Ctrl-C is how one leaves: where the loop cannot catch the signal it arrives like this.
        pass
