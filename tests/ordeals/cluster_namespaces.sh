#!/bin/sh
# A cluster of three hosts in network namespaces of this machine: a scheduler with the supervisor, two workers.
# 1. A fixed-node run there equals the run on one machine, game by game.
# 2. One worker is killed with -9 in the middle and the other frozen for 30 s: exactly the scheduled games, none twice,
#    no engine left.
# 3. An engine that kills its worker each time ends its pair after three of them, not the run.
# 4. Two workers against one: games per minute.
# Needs root, ip netns, Python with dask.distributed, and a built sortie. Usage: tests/ordeals/cluster_namespaces.sh [GAMES]
# Not part of the quick suite: it takes two to three minutes.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${PYTHON:-$root/.venv/bin/python}
gauntlet="$python -m harness.cli"
games=${1:-24}
work=$(mktemp -d)
export PYTHONPATH="$root" DASK_LOGGING__DISTRIBUTED=critical DASK_TEMPORARY_DIRECTORY="$work"
export DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL=10s
pids=""

finish() {
    status=$?
    for pid in $pids; do
        kill -CONT "$pid" 2>/dev/null || true
        kill "$pid" 2>/dev/null || true
    done
    sleep 2
    for ns in sortie-s sortie-1 sortie-2; do
        for pid in $(ip netns pids $ns 2>/dev/null); do kill -9 "$pid" 2>/dev/null || true; done
        ip netns del $ns 2>/dev/null || true
    done
    ip link del sortie-br 2>/dev/null || true
    rm -rf "$work"
    exit $status
}
trap finish EXIT
trap 'exit 130' INT TERM

ip link add sortie-br type bridge
ip link set sortie-br up
host() { # NAME LAST-BYTE
    ip netns add "$1"
    ip link add "$1-o" type veth peer name eth0 netns "$1"
    ip link set "$1-o" master sortie-br up
    ip -n "$1" addr add "10.99.7.$2/24" dev eth0
    ip -n "$1" link set eth0 up
    ip -n "$1" link set lo up
}
host sortie-s 1
host sortie-1 2
host sortie-2 3

fail() { echo "FAILED: $*"; exit 1; }
on() { ns=$1; shift; ip netns exec "$ns" "$@"; }
workers() { # NAMESPACE [SLOTS]
    on "$1" "$python" -m dask worker 10.99.7.1:8786 --nthreads "${2:-1}" --resources "slot=${2:-1}" --no-dashboard &
    pids="$pids $!"
}
python_of_worker() { # NAMESPACE: the process that holds the worker, not its nanny and not what it started
    for pid in $(ip netns pids "$1"); do
        tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q 'multiprocessing.spawn' && echo "$pid"
    done | head -n 1
}
wait_for_games() { # DIR COUNT PID: until the run of that process has so many games; read-only, for connecting makes a file
    while [ "$("$python" -c "
import sqlite3, sys
try:
    db = sqlite3.connect('file:' + sys.argv[1] + '/games.db?mode=ro', uri=True, timeout=10)
    print(db.execute('SELECT count(*) FROM games').fetchone()[0])
except sqlite3.Error: print(0)" "$1")" -lt "$2" ]; do
        kill -0 "$3" 2>/dev/null || { cat "$work/log"; fail "the run ended before $2 games"; }
        sleep 0.2
    done
}
moves() { $gauntlet pgn "$1" | sed 's/{[^}]*}//g' | grep -v -e '^\[Date' -e '^\[Site'; }
engines_left() { for ns in sortie-1 sortie-2; do ip netns pids $ns; done | while read -r pid; do
    tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -e slot_process -e 'bin/sortie' -e killer || true; done; }

cat >"$work/fixed.toml" <<END
[experiment]
games = $games
nodes = 4000
[base]
[variants.lmr-off]
LMR = "off"
END

on sortie-s "$python" -m dask scheduler --host 10.99.7.1 --port 8786 --no-dashboard &
pids="$pids $!"
workers sortie-1
workers sortie-2

echo "1. one machine and three hosts"
$gauntlet run "$work/fixed.toml" --out "$work/one" >/dev/null
on sortie-s $gauntlet run "$work/fixed.toml" --out "$work/three" --cluster tcp://10.99.7.1:8786 >"$work/log" || {
    cat "$work/log"; fail "the run on three hosts"; }
moves "$work/one" >"$work/one.txt"
moves "$work/three" >"$work/three.txt"
cmp "$work/one.txt" "$work/three.txt" || fail "the games differ"
grep 'runs the same engines' "$work/three/run.log"
echo "   $games games, the same move for move"

echo "2. one worker killed, one frozen for 30 s"
on sortie-s $gauntlet run "$work/fixed.toml" --out "$work/harm" --cluster tcp://10.99.7.1:8786 >"$work/log" &
run=$!
wait_for_games "$work/harm" 2 "$run"
frozen=$(python_of_worker sortie-1)
kill -STOP "$frozen"
kill -9 "$(python_of_worker sortie-2)"
sleep 30
kill -CONT "$frozen" 2>/dev/null || echo "   (the scheduler has had the frozen worker replaced)"
wait "$run" || { cat "$work/log"; fail "exit status $?"; }
moves "$work/harm" >"$work/harm.txt"
cmp "$work/one.txt" "$work/harm.txt" || fail "the games differ"
grep -e lost -e 'second time' -e 'has left' -e 'is gone' "$work/harm/run.log"
sleep 2
left=$(engines_left)
[ -z "$left" ] || fail "left behind: $left"
echo "   exactly the scheduled $games games, none twice, no engine left"

echo "3. an engine that kills its worker"
cat >"$work/killer.py" <<'END'
import os, signal, sys
sys.stdout.write("")
parent = lambda pid: int(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1])
for line in sys.stdin:
    word = line.split()[:1]
    if word == ["protover"]:
        print('feature ping=1 setboard=1 usermove=1 myname="Killer" done=1', flush=True)
    elif word == ["ping"]:
        print("pong " + line.split()[1], flush=True)
    elif word == ["go"] or word == ["usermove"]:
        os.kill(parent(os.getppid()), signal.SIGKILL)
    elif word == ["quit"]:
        break
END
cat >"$work/killer.toml" <<END
[experiment]
games = 2
depth = 3
patience = 20
[engines.killer]
command = "$python $work/killer.py"
[engines.other]
command = "$root/.venv/bin/sortie"
END
status=0
on sortie-s $gauntlet run "$work/killer.toml" --out "$work/killer" --cluster tcp://10.99.7.1:8786 >"$work/log" 2>&1 || status=$?
cat "$work/killer/run.log"
[ "$status" = 1 ] || fail "exit status $status, expected 1"
grep -q 'it has cost 3 workers: a fault of its engines' "$work/killer/run.log" || fail "no verdict on the pair"
sleep 2
left=$(engines_left)
[ -z "$left" ] || fail "left behind: $left"

echo "4. two workers against one"
seconds() { # DIR
    "$python" -c "
import sqlite3, sys
db = sqlite3.connect(sys.argv[1] + '/games.db')
first, last, busy = db.execute('SELECT min(started), max(started + seconds), sum(seconds) FROM games').fetchone()
cpu = db.execute('SELECT sum(w_cpu + b_cpu) / 1000 FROM games').fetchone()[0]
games = db.execute('SELECT count(*) FROM games').fetchone()[0]
print(f'{games / (last - first) * 60:.1f} games a minute, {busy / (last - first):.2f} games at a time, '
      f'{cpu / (last - first):.2f} s of engine time a second')" "$1"
}
on sortie-s $gauntlet run "$work/fixed.toml" --out "$work/w2" --cluster tcp://10.99.7.1:8786 >/dev/null
on sortie-s $gauntlet run "$work/fixed.toml" --out "$work/w1" --concurrency 1 --cluster tcp://10.99.7.1:8786 >/dev/null
echo "   two: $(seconds "$work/w2")"
echo "   one: $(seconds "$work/w1")"
echo "all well"
