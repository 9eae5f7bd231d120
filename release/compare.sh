#!/usr/bin/env bash
# What action.yml runs: NEW against OLD until the test SPRT ends, the table into the summary and the outputs of the step.
# The exit status is that of the match: 0 when the new build passes, 1 when it does not, 2 for bad input.
set -u
while [ -e "$RESULTS" ]; do RESULTS=$RESULTS-2; done  # a job may use the action twice
# LIMIT and OPTIONS hold several words each.
# shellcheck disable=SC2086
gauntlet match "$NEW" "$OLD" $LIMIT -n "$GAMES" --sprt "$SPRT" --markdown --out "$RESULTS" $OPTIONS | tee "$RESULTS.txt"
status=${PIPESTATUS[0]}
table=$(sed -n '/^| match |/,$p' "$RESULTS.txt")
echo "$table" >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
printf 'results=%s\ntable<<END_OF_TABLE\n%s\nEND_OF_TABLE\n' "$RESULTS" "$table" >> "${GITHUB_OUTPUT:-/dev/null}"
exit "$status"
