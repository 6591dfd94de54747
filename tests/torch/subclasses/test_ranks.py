# SPDX-License-Identifier: MIT
"""Two processes on this machine, over gloo and a file: what rank.py says of each program is a test. Nothing listens on an
address other than the loopback's."""

import functools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECONDS = 300  # for all of them


@functools.cache
def outcomes():
    """For each rank: name of a program -> what is wrong."""
    with tempfile.TemporaryDirectory(prefix="ranks-") as folder:
        environment = {**os.environ, "GLOO_SOCKET_IFNAME": "lo", "TP_SOCKET_IFNAME": "lo", "MASTER_ADDR": "localhost"}
        ranks = []
        try:
            for rank in range(2):
                command = [sys.executable, str(HERE / "rank.py"), str(rank), folder]
                with open(f"{folder}/log{rank}", "wb") as log:
                    ranks.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
            end = time.monotonic() + SECONDS
            for one in ranks:
                one.wait(max(1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            pass
        finally:
            for one in ranks:
                one.kill()
                one.wait()
        return [_read(Path(folder), rank) for rank in range(2)]


def _read(folder, rank):
    path = folder / f"result{rank}.json"
    log = (folder / f"log{rank}").read_text(errors="replace")[-1500:]
    return {"log": log, **(json.loads(path.read_text()) if path.exists() else {})}


def _test(name):
    def test():
        for rank, results in enumerate(outcomes()):
            assert not results.get(name), f"rank {rank}: {results[name]}"
        for rank, results in enumerate(outcomes()):
            assert name in results, f"rank {rank} did not get to it: {results['log']}"

    return test


# The programs' names, without what they import: only the ranks have a process group.
for _line in (HERE / "programs_ranks.py").read_text().split("@program\ndef ")[1:]:
    _name = _line.split("(")[0]
    globals()[f"test_{_name}"] = _test(_name)
