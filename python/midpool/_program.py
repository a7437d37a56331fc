"""The program ``midpool`` as a child process: studies fork workers and own a store, which a library must not do to its host."""
from __future__ import annotations

import functools
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
from typing import Sequence

from . import _midpool

try:
    from ._build import PROGRAM as _BUILT  # type: ignore[import-not-found]
except ImportError:  # an installed package
    _BUILT = None


def program() -> str:
    """Path of the program: $MIDPOOL_BIN, the one that was built with this package, or one in PATH, of the same version."""
    return _find(os.environ.get("MIDPOOL_BIN"))


@functools.lru_cache
def _find(named: str | None) -> str:
    here = os.path.dirname(os.path.abspath(__file__))
    folders = (os.path.join(here, "..", "bin"),  # pip install --target
               os.path.join(here, "..", "..", "..", "..", "bin"),  # --prefix, --user, environments
               sysconfig.get_path("scripts"), os.path.dirname(sys.executable))
    for path in (named, _BUILT, *(os.path.normpath(os.path.join(f, "midpool")) for f in folders), shutil.which("midpool")):
        if path and os.access(path, os.X_OK):
            said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout.strip()
            if said == f"midpool {_midpool.version()}":
                return path
            if path == named:
                raise _midpool.UsageError(f"MIDPOOL_BIN: {path} says it is '{said}', expected midpool {_midpool.version()}")
    raise _midpool.FileError(f"no program midpool {_midpool.version()} in PATH, beside {sys.executable} or the package; MIDPOOL_BIN can name it")


def _environment() -> dict[str, str]:
    """Modules of the program lie in the package when that came as a wheel."""
    here = os.path.dirname(__file__)
    own = any(os.path.exists(os.path.join(here, f"midpool_{name}.so")) for name in ("rdkit", "mpi"))
    return {**os.environ, **({"MIDPOOL_PLUGINS": here} if own and "MIDPOOL_PLUGINS" not in os.environ else {})}


def run(words: Sequence[str], *, progress: bool) -> str:
    """Standard output of the program. What it says on the way goes to sys.stderr if ``progress``. Ctrl-C is passed on: it
    saves what is finished, and KeyboardInterrupt follows when it has ended."""
    # Of its own group: a terminal would send Ctrl-C to both, and a second one means "at once".
    child = subprocess.Popen([program(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             start_new_session=True, text=True, encoding="utf-8", errors="replace", env=_environment())
    said: list[str] = []
    reader = threading.Thread(target=_relay, args=(child.stderr, said, progress), daemon=True)
    reader.start()
    out = _wait(child)
    reader.join()
    if child.returncode == 0:
        return out
    raise _failure(child.returncode, said)


def _wait(child: subprocess.Popen[str]) -> str:
    """All of its output. Interrupted, it is asked to stop and waited for, and asked again each time."""
    got: list[str] = []
    assert child.stdout is not None
    drain = threading.Thread(target=lambda: got.append(child.stdout.read()), daemon=True)  # type: ignore[union-attr]
    drain.start()
    stopped = False
    while True:
        try:
            child.wait()
            break
        except KeyboardInterrupt:
            stopped = True
            child.send_signal(signal.SIGINT)
        except BaseException:
            child.terminate()
            raise
    drain.join()
    child.stdout.close()
    if stopped and child.returncode != 0:
        raise KeyboardInterrupt
    return got[0]


def _relay(source: object, said: list[str], progress: bool) -> None:
    with source as lines:  # type: ignore[attr-defined]
        for line in lines:
            said.append(line.rstrip("\n"))
            del said[:-20]
            if progress:
                sys.stderr.write(line)
                sys.stderr.flush()


def _failure(code: int, said: list[str]) -> Exception:
    text = next((line for line in reversed(said) if line.strip()), f"the program ended with {code}")
    text = text.removeprefix("midpool: ")
    if code == 2:
        return _midpool.UsageError(text)
    return _midpool.StoppedError(text) if code >= 128 or code < 0 else _midpool.Error(text)
