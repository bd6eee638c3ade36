"""What strace saw of a process, as far as it says in which order things reached the disk and left for the network."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

READS, WRITES = {"read", "readv", "recvfrom", "recvmsg"}, {"write", "writev", "sendto", "sendmsg"}
SYNCS = {"fsync", "fdatasync"}
CALLS = ",".join(sorted(READS | WRITES | SYNCS))
# `17266 1795264979.2 write(17<TCP:[…]>, "…", 5) = 5`, in one line or begun here and ended later
BEGUN = re.compile(r"^(?P<pid>\d+) +[\d.]+ (?P<call>\w+)\((?P<fd>\d+)<(?P<file>.*?)>(?P<rest>[,) ].*)$")
ENDED = re.compile(r"^(?P<pid>\d+) +[\d.]+ <\.\.\. (?P<call>\w+) resumed>(?P<rest>.*)$")
RESULT = re.compile(r" = (-?\d+)[^=]*$")


@dataclass(frozen=True)
class Seen:
    """One call that did something: `what` is read, write or sync, `file` a path or a connection."""

    what: str
    file: str
    pid: int
    content: str


def missing() -> str:
    """Why nothing can be traced here, or nothing."""
    if not shutil.which("strace"):
        return "strace is not installed"
    tried = subprocess.run(
        ["strace", "-f", "-o", "/dev/null", sys.executable, "-c", ""], capture_output=True, check=False
    )
    return "" if tried.returncode == 0 else "this machine does not allow ptrace"


def command(trace: Path) -> list[str]:
    """To be put before a command, or before `-p PID`."""
    return ["strace", "-f", "-yy", "-ttt", "-s", "256", "-o", str(trace), "-e", f"trace={CALLS}"]


def read(lines: Iterable[str]) -> Iterator[Seen]:
    """In the order in which it counts: a write when it began, a read or a sync when it had succeeded."""
    begun: dict[str, re.Match[str]] = {}
    for line in lines:
        found = BEGUN.match(line)
        ended = None if found else ENDED.match(line)
        if found and found["call"] in WRITES:
            yield _seen("write", found, found["rest"])
        elif found and "<unfinished ...>" in found["rest"]:
            begun[found["pid"]] = found
        elif found:
            yield from _done(found, found["rest"])
        elif ended and ended["pid"] in begun:
            yield from _done(begun.pop(ended["pid"]), ended["rest"])


def _done(found: re.Match[str], rest: str) -> Iterator[Seen]:
    """If it is one that did something: a sync that answers 0, a read that brought something."""
    result, is_sync = RESULT.search(rest), found["call"] in SYNCS
    if result and (int(result[1]) == 0 if is_sync else int(result[1]) > 0):
        yield _seen("sync" if is_sync else "read", found, found["rest"] + rest)


def _seen(what: str, found: re.Match[str], content: str) -> Seen:
    return Seen(what, found["file"], int(found["pid"]), content)


def turns(
    seen: Iterable[Seen], *, of: Callable[[Seen], str], log: Callable[[Seen], bool]
) -> dict[str, list[str]]:
    """For each conversation that `of` names (nothing: of no interest) its answers, each as what came before it.

    `read sync write` is a question, a sync of the log and the answer; `read write` an answer without a sync.
    """
    under_way: dict[str, list[str]] = {}
    answers: dict[str, list[str]] = {}
    for line in seen:
        if line.what == "sync":
            if log(line):
                for pending_texts in under_way.values():
                    pending_texts.append("sync")
        elif name := of(line):
            if line.what == "read":
                # what was synced before the question does not count for its answer
                under_way[name] = ["read"]
            elif pending_texts := under_way.pop(name, []):
                answers.setdefault(name, []).append(" ".join(dict.fromkeys([*pending_texts, "write"])))
    return answers
