"""Connects to a cluster: reads `--cluster`, and reaches a scheduler of dask.distributed or starts a local one.

Everything that a run needs of dask.distributed is here and in `pool`; what runs on the workers is in `worker`.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from harness.cluster.proof import ProofFailed, Task, prove
from harness.engines.children import held_back
from harness.engines.sortie import beside
from harness.errors import BadInput
from harness.game.game import Rules
from harness.spec.settings import Experiment

if TYPE_CHECKING:
    from harness.cluster.pool import ClusterPool

CONNECT = 10.0  # seconds for the scheduler to answer
FAREWELL = 10.0  # seconds for local workers to end by themselves
WORKER_WAIT = 30.0  # seconds without any worker that may play, after which the run ends
CONFIG_WAIT = "gauntlet.worker-wait"  # key of the Dask configuration that overrides WORKER_WAIT
EXPECTED = "expected local:N or the address of a Dask scheduler, such as tcp://host:8786 or tls://host:8786"
_ADDRESS = re.compile(r"(?:(?P<scheme>[a-z]+)://)?(?P<host>\[[0-9a-fA-F:.]+\]|[^\s:/\[\]]+):(?P<port>[0-9]{1,5})/?")
_SCHEMES = ("tcp", "tls", "ws", "wss")
MOST_LOCAL = 1024

# Ctrl-C on a terminal reaches the workers too; they ignore it and leave it to the run.
_DEAF = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"


def parse(text: str) -> int | str:
    """Returns the number of local workers or the address of a scheduler; raises BadInput."""
    if text.startswith("local:") or text == "local":
        count = text.partition(":")[2]
        if not re.fullmatch("[0-9]{1,4}", count) or not 1 <= int(count) <= MOST_LOCAL:
            raise BadInput(f"--cluster {text}: expected local:N with a number of workers from 1 to {MOST_LOCAL}")
        return int(count)
    found = _ADDRESS.fullmatch(text)
    if found is None or not 1 <= int(found["port"]) <= 65535:
        raise BadInput(f"--cluster {text}: {EXPECTED}")
    scheme = found["scheme"] or "tcp"
    if scheme not in _SCHEMES:
        raise BadInput(f"--cluster {text}: no protocol {scheme}: {EXPECTED}")
    return f"{scheme}://{found['host']}:{found['port']}"


def library() -> Any:
    """Returns the module `distributed` with its own messages silenced; raises BadInput if it is not installed."""
    try:
        import dask

        # Before the import, which sets up the library's logging. What matters is in run.log.
        dask.config.set({"logging.distributed": "critical"})
        import distributed
    except ImportError as error:
        raise BadInput(
            f"--cluster: the package {error.name} is not installed; "
            "pip install 'sortie-chess[harness,cluster]' (in Sortie's folder: '.[harness,cluster]')"
        ) from None
    except ValueError as error:  # a file of its configuration cannot be read
        raise BadInput(f"--cluster: {' '.join(str(error).split())}") from None
    # It reports lost connections with tracebacks; the run says what matters in plain lines.
    for name in ("distributed", "tornado", "asyncio", *logging.root.manager.loggerDict):
        if name.split(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.filterwarnings("ignore", module="distributed")
    return distributed


def worker_wait() -> float:
    """Returns how many seconds a run waits for a worker that may play; raises BadInput."""
    import dask
    from dask.utils import parse_timedelta

    value = dask.config.get(CONFIG_WAIT, WORKER_WAIT)
    try:
        seconds = float(parse_timedelta(value, default="s"))
    except Exception:  # of many kinds: it looks at nothing beforehand
        seconds = 0.0
    if seconds <= 0:
        raise BadInput(f"{CONFIG_WAIT} = {value!r} in the Dask configuration: expected a time such as 30s or 5m")
    return seconds


@contextmanager
def _ctrl_c_later() -> Iterator[None]:
    """Blocks Ctrl-C in this thread for now, and for good in all threads and processes started meanwhile."""
    if os.name != "posix":
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # else multiprocessing starts it with its first process, and unblocks Ctrl-C
    with held_back([signal.SIGINT]):
        yield


def _kill_children() -> None:
    """Kills worker processes that have not ended by themselves; slots and engines end with them."""
    import multiprocessing

    for child in multiprocessing.active_children():
        child.kill()
        child.join(1.0)


@contextmanager
def local(distributed: Any, count: int, scratch: str) -> Iterator[Any]:
    """Yields a scheduler in this process with `count` worker processes of one slot each, and ends them afterwards."""
    import dask

    settings = {"distributed.scheduler.allowed-failures": 0, "distributed.worker.memory.terminate": False}
    cluster = None
    with dask.config.set(settings):
        try:
            with _ctrl_c_later():
                try:
                    cluster = distributed.LocalCluster(
                        n_workers=count,
                        threads_per_worker=1,
                        processes=True,
                        host="127.0.0.1",
                        dashboard_address=None,
                        resources={"slot": 1},
                        memory_limit=0,
                        local_directory=scratch,
                        silence_logs=logging.CRITICAL + 1,
                        preload=_DEAF,
                    )
                except Exception as error:
                    raise BadInput(f"--cluster local:{count}: the workers cannot be started: {error}") from error
            yield cluster
        finally:
            if cluster is not None:
                with _ctrl_c_later():
                    try:
                        cluster.close(timeout=FAREWELL)
                    except TimeoutError:
                        _kill_children()


@contextmanager
def client_of(text: str) -> Iterator[Any]:
    """Yields a client of the cluster that `--cluster` names; raises BadInput. Local workers end with the context."""
    where = parse(text)
    distributed = library()
    with tempfile.TemporaryDirectory(prefix="gauntlet-", ignore_cleanup_errors=True) as scratch:
        if isinstance(where, int):
            with local(distributed, where, scratch) as cluster, _connected(distributed, cluster, text) as client:
                yield client
        else:
            with _connected(distributed, where, text) as client:
                yield client


def _check_certificates(distributed: Any, text: str) -> None:
    """Refuses a secure address if the Dask configuration names no readable certificates."""
    try:
        context = distributed.Security().get_connection_args("client").get("ssl_context")
    except (OSError, ValueError) as error:
        raise BadInput(f"--cluster {text}: the certificates of the Dask configuration: {error}") from None
    if context is None:
        raise BadInput(
            f"--cluster {text}: no certificates: the Dask configuration must name distributed.comm.tls.ca-file, "
            "client.cert and client.key"
        )


@contextmanager
def _connected(distributed: Any, where: Any, text: str) -> Iterator[Any]:
    if isinstance(where, str) and where.startswith(("tls:", "wss:")):
        _check_certificates(distributed, text)
    try:
        client = distributed.Client(where, timeout=CONNECT, set_as_default=False, name="gauntlet")
    except (OSError, TimeoutError) as error:
        reason = f"no scheduler answers there within {CONNECT:g} s"
        if "tls" in str(error).lower() or "ssl" in str(error).lower():
            reason = f"no secure connection: {error}"
        raise BadInput(f"--cluster {text}: {reason}") from None
    except (ValueError, TypeError, RuntimeError, ImportError, LookupError) as error:
        raise BadInput(f"--cluster {text}: {error}; {EXPECTED}") from None
    try:
        yield client
    finally:
        client.close(timeout=5)


@contextmanager
def connected(text: str, experiment: Experiment, most: int | None = None) -> Iterator[ClusterPool]:
    """Yields the slots of the cluster once a worker has proved itself; raises BadInput if none does in time.

    `most` limits the games at a time; None: as many as the workers have slots.
    """
    parse(text)
    library()
    wait = worker_wait()
    from harness.cluster.pool import ClusterPool  # it imports `distributed`, which may not be installed

    try:
        sortie: str | None = beside()
    except BadInput:
        sortie = None
    with client_of(text) as client:
        try:
            expected = prove(Task(experiment.players, experiment.patience, sortie))
        except ProofFailed as failed:
            raise BadInput(f"--cluster {text}: this machine cannot show what the workers must run: {failed}") from None
        run = uuid.uuid4().hex[:8]
        with ClusterPool(
            client, text, run, experiment.players, Rules.of(experiment), sortie, expected, wait, most
        ) as pool:
            pool.wait()
            yield pool
