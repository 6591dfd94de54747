# SPDX-License-Identifier: MIT
"""Tries many programs in worker processes, so that one that dies or hangs is a line of the table like any other.

A worker is a new process, or a fork of this one where what makes up the entries takes long to import (`forked`).

A suite gives `entries`: an ordered dict, name -> () -> (what check() takes, its keywords), and what it expects of those that are
not equal. The suite's file is the worker, too: `main(...)` with --worker reads names and writes results.

  JOBS=2      workers side by side      SHARE, PART      share.py
"""

import gc
import json
import os
import selectors
import signal
import subprocess
import sys
import time
import traceback
import warnings
import zlib
from collections import Counter
from pathlib import Path

from share import is_taken, share

ROOT = Path(__file__).resolve().parents[3]
SECONDS = 240  # of a processor that one program may take; five times as long if it waits
PER_WORKER = 150  # programs, then a fresh process: PyTorch keeps what it has compiled


class TooLong(BaseException):
    """No program's own exception: those are results, and are caught where it runs."""


class NoProgram(Exception):
    """A database has no program of this name after all, for the reason in the text. A line of the table, not a failure."""


def checked(program, make_inputs, **options):
    """Tries a program with check(): (status, number of graphs, lines). Without kernels, which take most of the time, and where PyTorch's
    own compiled program differs from eager mode, that is a line of the table."""
    from wrapgen_torch import check

    result = check(program, make_inputs, name="swept", inner=None, **options)
    if result.ok and result.raised:
        return "raises", len(result.graphs), [result.raised]
    return result.status, len(result.graphs), result.lines


def main(title, entries, expected, least, tried=checked, rarer=1, forked=False):
    """`expected`: name -> (status, words that its report has), for what is not equal; what is uncompiled, raises or does not exist
    needs no entry.
    `least`: the share of programs that must be equal, lest the table be empty words.
    `tried`: how a program is tried, a function like checked(). `rarer`: where only a share is tried, one so many times smaller."""
    if "--worker" in sys.argv:
        return _work(entries, tried)
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    one_in = share() * (rarer if share() > 1 else 1)
    names = [name for name in entries if not words or any(word in name for word in words)]
    names = [name for name in names if words or is_taken(name, one_in)]
    begin = time.time()
    results = _run_all(title, names, (lambda: _work(entries, tried)) if forked else None)
    return _report(title, names, results, expected, 0 if words else least, not words, time.time() - begin)


# ---- the worker ----


def _work(entries, tried):
    sys.path.insert(0, str(ROOT / "cmd"))
    warnings.filterwarnings("ignore")
    import torch

    torch.set_num_threads(1)
    torch._logging.set_logs(all=50)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a program prints
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        name = line.strip()
        _limit(SECONDS)
        begin = time.time()
        try:
            arguments, options = entries[name]()
            status, graphs, lines = tried(*arguments, **options)
        except NoProgram as reason:
            status, graphs, lines = "absent", 0, [str(reason)]
        except (Exception, TooLong) as problem:  # noqa: BLE001 - a line of the table
            status, graphs = "failed", 0
            lines = [f"{type(problem).__name__}: {problem}", *traceback.format_exc().splitlines()[-6:]]
        _limit(0)
        answer = {"name": name, "status": status, "graphs": graphs, "lines": lines[:8], "seconds": time.time() - begin}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    return 0


def _limit(seconds):
    """The time from now on, or none. It is of a processor, since others may be at work here, too."""
    signal.signal(signal.SIGPROF, _too_long)
    signal.signal(signal.SIGALRM, _too_long)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(5 * seconds)


def _too_long(*_):
    raise TooLong(f"more than {SECONDS} s")


# ---- the parent ----


class _Worker:
    def __init__(self, log, work):
        self.log = log
        self.work = work
        self.process = None
        self.name = None
        self.done = 0

    def give(self, name):
        if self.process is not None and self.done >= PER_WORKER:
            self.stop()
        if self.process is None:
            self.process = self._started()
            self.done = 0
        self.name = name
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()

    def _started(self):
        if self.work is not None:
            return _Fork(self.work, self.log)
        command = [sys.executable, sys.argv[0], "--worker"]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)

    def take(self):
        """The answer; a worker that died has one too."""
        line = self.process.stdout.readline()
        self.done += 1
        if line:
            return json.loads(line)
        code = self.process.wait()
        self.process = None
        return {"name": self.name, "status": "died", "graphs": 0, "lines": [f"exit status {code}"], "seconds": 0.0}

    def stop(self):
        self.process.stdin.close()
        self.process.wait()
        self.process = None


class _Fork:
    """A fork of this process, with what the parent uses of a Popen."""

    def __init__(self, work, log):
        theirs_in, ours_in = os.pipe()
        ours_out, theirs_out = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            for number, descriptor in enumerate((theirs_in, theirs_out, log.fileno())):
                os.dup2(descriptor, number)
            os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # the ends of other workers' pipes: each must see when its own is closed
            os._exit(work())
        os.close(theirs_in)
        os.close(theirs_out)
        self.stdin, self.stdout = os.fdopen(ours_in, "w"), os.fdopen(ours_out)

    def wait(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def _run_all(title, names, work):
    """name -> answer"""
    results = {}
    waiting = sorted(names, key=lambda name: zlib.crc32(name.encode()))  # long and short ones mixed
    folder = _folder()
    log, progress = open(folder / f"{title}.log", "w"), open(folder / f"{title}.jsonl", "w")
    with log, progress, selectors.DefaultSelector() as selector:
        workers = [_Worker(log, work) for _ in range(int(os.environ.get("JOBS", "2")))]
        busy = 0

        def next_one(worker):
            worker.give(waiting.pop())
            selector.register(worker.process.stdout, selectors.EVENT_READ, worker)

        for worker in workers:
            if waiting:
                next_one(worker)
                busy += 1
        while busy:
            for key, _ in selector.select():
                worker = key.data
                selector.unregister(key.fileobj)
                answer = worker.take()
                results[answer["name"]] = answer
                progress.write(json.dumps(answer) + "\n")
                progress.flush()
                if waiting:
                    next_one(worker)
                    continue
                busy -= 1
                if worker.process is not None:
                    worker.stop()
    return results


def _folder():
    folder = Path(os.environ.get("BUILD", ROOT / "build")) / "torch"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _report(title, names, results, expected, least, whole, seconds):
    rows, failed = [], 0
    for number, name in enumerate(names, 1):
        answer = results[name]
        text = "\n".join(answer["lines"])
        wanted, words = expected.get(name, (None, ""))
        if wanted is not None:
            good = answer["status"] == wanted and words in text
        else:
            good = answer["status"] in ("equal", "inherited", "described", "uncompiled", "raises", "absent")
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {name}")
        if not good:
            print("\n".join(f"#   {line}" for line in [answer["status"], *answer["lines"]]))
        first = "" if answer["status"] == "equal" else " " + " ".join(text.split())[:140]
        rows.append(f"{name:60} {answer['graphs']:2} graph(s) {answer['seconds']:6.1f} s  {answer['status']}{first}")
    counts = Counter(results[name]["status"] for name in names)
    summary = f"{title}: {len(names)} programs in {seconds:.0f} s: " + ", ".join(f"{n} {s}" for s, n in counts.most_common())
    if least:
        good = counts["equal"] + counts["inherited"] >= least * len(names)
        failed += not good
        print(f"{'ok' if good else 'not ok'} {len(names) + 1} - at least {least:.0%} of the programs are compiled and equal")
    if whole:
        (_folder() / f"{title}.txt").write_text("\n".join([*rows, summary]) + "\n")
    print(f"#= {summary}")
    print(f"{len(names) + bool(least) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0
