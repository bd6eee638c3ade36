"""What install.sh may not change the second time: every file of the machine that is ours, and the rows of people."""

import hashlib
import stat
import subprocess
from pathlib import Path

WATCHED = ("/etc", "/opt", "/usr/local/sbin", "/var/lib/fibre-dispatch", "/var/lib/fibre-dispatch-backups")
# rows that a running system writes by itself are no business of the installer's
TABLES = ("engineers_user", "engineers_signinlink", "engineers_engineer", "dispatch_job", "django_migrations")


def files() -> dict[str, str]:
    """Path → kind, mode, owner, time of the last change and content."""
    found = {}
    for folder in WATCHED:
        for path in [Path(folder), *sorted(Path(folder).rglob("*"))]:
            state = path.lstat()
            content = str(path.readlink()) if path.is_symlink() else ""
            if stat.S_ISREG(state.st_mode):
                content = hashlib.sha256(path.read_bytes()).hexdigest()
            changed = "" if stat.S_ISDIR(state.st_mode) else str(state.st_mtime_ns)
            found[str(path)] = (
                f"{stat.filemode(state.st_mode)} {state.st_uid}:{state.st_gid} {changed} {content}"
            )
    return found


def rows() -> str:
    tables = [f"--table={name}" for name in TABLES]
    command = ["runuser", "-u", "postgres", "--", "pg_dump", "--data-only", *tables, "fibre-dispatch"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    # newer ones of pg_dump begin and end with a word of their own each time
    return "\n".join(
        line for line in text.splitlines() if not line.startswith(("\\restrict", "\\unrestrict"))
    )


def differences(before: dict[str, str], after: dict[str, str]) -> list[str]:
    return sorted(
        f"{path}: {before.get(path, 'not there')} → {after.get(path, 'gone')}"
        for path in before.keys() | after.keys()
        if before.get(path) != after.get(path)
    )
