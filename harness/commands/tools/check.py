"""`gauntlet check`: protocol conformance of any engine."""

from __future__ import annotations

import json

import click


@click.command("check", short_help="Test an engine's protocol, one line per rule.")
@click.argument("engine", metavar="COMMAND")
@click.option("--protocol", type=click.Choice(["xboard", "uci"]), help="Protocol to test; default: ask the engine.")
@click.option("--rule", "only", multiple=True, metavar="NAME", help="Test only this rule; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object as the last line.")
def command(engine: str, protocol: str | None, only: tuple[str, ...], as_json: bool) -> int:
    """Test the engine that COMMAND starts (quote it when it has arguments). Exit status 1 if it breaks a rule."""
    from harness.conformance import check as conformance
    from harness.conformance.rule import FAIL, PASS, SKIP, UNTRIED
    from harness.errors import BadInput, nearest
    from harness.terminal.words import folded

    words = conformance.split_command(engine)
    spoken = protocol or conformance.protocol_of(words)
    rules = conformance.rules_for(spoken)
    names = [rule.name for rule in rules]
    for name in only:
        if name not in names:
            raise BadInput(f'--rule: {spoken} has no rule "{name}"{nearest(name, names)}')
    rules = [rule for rule in rules if not only or rule.name in only]
    counts = dict.fromkeys((PASS, FAIL, SKIP, UNTRIED), 0)
    width = max(len(rule.name) for rule in rules)
    found = []
    for finding in conformance.check(words, rules):
        counts[finding.outcome] += 1
        rule = finding.rule
        reason = f": {finding.detail}" if finding.detail else ""
        click.echo(folded(f"{finding.outcome:13}  {rule.name:{width}}  {rule.text}{reason}", hang=width + 17))
        for line in finding.transcript:
            click.echo(f"{'':15}  | {line}")
        found.append({"rule": rule.name, "outcome": finding.outcome, "detail": finding.detail})
    if counts[UNTRIED]:
        click.echo(folded(f"{engine} neither moves nor answers: the other rules were not tried"))
    shown = [f"{count} {outcome}" for outcome, count in counts.items() if count or outcome != UNTRIED]
    click.echo(f"{spoken}: {', '.join(shown)}")
    if as_json:
        click.echo(json.dumps({"protocol": spoken, **counts, "rules": found}))
    return 1 if counts[FAIL] else 0
