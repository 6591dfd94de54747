# SPDX-License-Identifier: MIT
"""What takes long says on stderr what it does: on a terminal in one line that is rewritten, elsewhere in a plain line every few
seconds.

    with shown(True):
        with step("compiling the host", total=24) as one:
            one.advance()

Outside of shown() a step says nothing. Steps of several threads are shown side by side, of one thread the innermost.
"""

import contextlib
import os
import shlex
import sys
import threading
import time

VERBOSE = "verbose"
CHOICES = (None, True, False, VERBOSE)
_ERASE = "\r\033[K"
_REDRAWN = 0.2  # seconds, of the line on a terminal
_PAUSE = 5.0  # seconds, between plain lines
_PAUSE_ALIKE = 30.0  # seconds, between plain lines that differ in nothing but time
_displays = []  # the one of shown(), if any, None where that is silent: all steps of the process are shown there


@contextlib.contextmanager
def shown(progress=None):
    """Shows the steps that are taken meanwhile. `progress`: None, if a person can see it; True, anywhere; False, nowhere; "verbose",
    anywhere, with a line for each step and each command that is run. Within another shown() it changes nothing."""
    if progress not in CHOICES:
        raise ValueError(f"progress is None, True, False or {VERBOSE!r}, not {progress!r}")
    if _displays:
        yield
        return
    live = _is_terminal(sys.stderr)
    silent = progress is False or (progress is None and not live and not _is_interactive())
    display = None if silent else _Display(sys.stderr, live, progress == VERBOSE)
    _displays.append(display)
    try:
        with display.running() if display else contextlib.nullcontext():
            yield
    finally:
        _displays.remove(display)


@contextlib.contextmanager
def step(what, total=None):
    """`what` is done meanwhile, in `total` parts if that is known; advance() of what is yielded tells of one that is done."""
    one = _Step(what, total)
    display = _displays[0] if _displays else None
    if display is not None:
        display.begin(one)
    try:
        yield one
    finally:
        if display is not None:
            display.end(one)


def ran(command):
    """A command is about to be run."""
    if _displays and _displays[0]:
        _displays[0].command(command)


def seconds_of(seconds):
    """9 s, 1 min 09 s."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def size_of(folder):
    """7 files, 1.2 MB."""
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]
    total = sum(sizes)
    number = f"{total / 1e6:.1f} MB" if total >= 1e5 else f"{total / 1e3:.1f} kB"
    return f"{len(sizes)} {'file' if len(sizes) == 1 else 'files'}, {number}"


def _is_terminal(stream):
    try:
        return stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    except (AttributeError, ValueError):  # none at all, or closed
        return False


def _is_interactive():
    """Does a person use the interpreter? So it is in a notebook, whose stderr is not a terminal."""
    return hasattr(sys, "ps1")


class _Step:
    def __init__(self, what, total):
        self._what, self._total, self._done = what, total, 0
        self._lock = threading.Lock()
        self._begun = time.monotonic()
        self.thread = threading.get_ident()

    def advance(self):
        with self._lock:
            self._done += 1

    def text(self):
        """What is done, without the time."""
        return self._what if self._total is None else f"{self._what}: {self._done} of {self._total}"

    def timed(self):
        return f"{self.text()}, {seconds_of(time.monotonic() - self._begun)}"


class _Display:
    """Where steps are shown, and a thread that does so while they take their time."""

    def __init__(self, stream, live, verbose):
        self._stream, self._live, self._verbose = stream, live, verbose
        self._lock = threading.RLock()
        self._steps = []
        self._ended = threading.Event()
        self._line = ""  # on the terminal
        self.waits = False  # others have begun a line there
        self._said = ""  # last, without the time
        self._said_at = None

    @contextlib.contextmanager
    def running(self):
        thread = threading.Thread(target=self._tick, name="wrapgen-progress", daemon=True)
        thread.start()
        try:
            with self._kept_apart() if self._live else contextlib.nullcontext():
                yield
        finally:
            self._ended.set()
            thread.join()
            self.erase()

    @contextlib.contextmanager
    def _kept_apart(self):
        """What others write to the terminal begins on a line of its own."""
        out = _Apart(sys.stdout, self) if _is_terminal(sys.stdout) else sys.stdout
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(_Apart(sys.stderr, self)):
            yield

    def begin(self, one):
        with self._lock:
            self._steps.append(one)
            if self._verbose:
                self._note()
                self._say(one.text())
            elif not self._live:
                self._say_now_and_then()

    def end(self, one):
        with self._lock:
            self._steps.remove(one)
            if self._verbose:
                self._say(f"{one.timed()}: done")

    def command(self, words):
        if self._verbose:
            self._say(f"$ {shlex.join(str(word) for word in words)}")

    def erase(self):
        with self._lock:
            if self._line:
                self._write(_ERASE)
            self._line = ""

    def _tick(self):
        while not self._ended.wait(_REDRAWN):
            with self._lock:
                if self._live and not self.waits:
                    self._redraw()
                elif not self._live:
                    self._say_now_and_then()

    def _innermost(self):
        return {one.thread: one for one in self._steps}.values()

    def _redraw(self):
        line = "; ".join(one.timed() for one in self._innermost())
        line = f"wrapgen-torch: {line}"[: self._width()] if line else ""
        if line != self._line:
            self._write(_ERASE + line)
            self._line = line

    def _width(self):
        try:
            return (os.get_terminal_size(self._stream.fileno()).columns or 80) - 1
        except (OSError, ValueError):
            return 79

    def _now(self):
        return "; ".join(one.text() for one in self._innermost())

    def _note(self):
        """What is done now is said now."""
        self._said, self._said_at = self._now(), time.monotonic()

    def _say_now_and_then(self):
        """The first line at once, then one after a pause."""
        text = self._now()
        pause = _PAUSE_ALIKE if text == self._said else _PAUSE
        if text and (self._said_at is None or time.monotonic() - self._said_at >= pause):
            self._note()
            self._say("; ".join(one.timed() for one in self._innermost()))

    def _say(self, text):
        with self._lock:
            self.erase()
            self._write(f"wrapgen-torch: {text}\n")

    def _write(self, text):
        with contextlib.suppress(OSError, ValueError):  # a line that cannot be written is not missed
            self._stream.write(text)
            self._stream.flush()


class _Apart:
    """A stream on the terminal: the line of a display is erased before anything is written."""

    def __init__(self, stream, display):
        self._stream, self._display = stream, display

    def write(self, text):
        with self._display._lock:
            self._display.erase()
            self._display.waits = not text.endswith("\n") if text else self._display.waits
            return self._stream.write(text)

    def __getattr__(self, name):
        return getattr(self._stream, name)
