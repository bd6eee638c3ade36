"""`make test`: every check of the project, and a summary that names what was skipped.

Run as `python -m tools.check`; `--only NAME` runs the steps whose name contains NAME. `--quick` is `make quick`: lint,
types, conventions and the unit tests of the apps that were changed since origin/main.
"""

import argparse
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import trustme

from tools.check_run import ROOT, Runner, Step, summarise

PYTHON = sys.executable
TYPED = [
    "monitoring",
    "engineers",
    "dispatch",
    "closures",
    "seller_link",
    "board",
    "phone",
    "alerting",
    "partner_api",
    "customer_messages",
    "background",
    "operations",
    "demo",
    "config",
    "tools",
]
POSTGRESQL = os.environ.get("TEST_POSTGRESQL_URL") or "postgresql://postgres@127.0.0.1:5432/postgres"
NODE_MODULES = ROOT / "frontend" / "node_modules"
TSC, OXLINT = NODE_MODULES / "typescript" / "bin" / "tsc", NODE_MODULES / "oxlint" / "bin" / "oxlint"
BROWSERS = ["chromium", "chromium-browser", "google-chrome"]
# files in the order of tests/conftest.py
BY_FILES = ["--dist", "loadfile", "--no-loadscope-reorder"]
# more than the two cores of a CI machine: many tests wait for processes
MANY_WORKERS = ["-n", "5", *BY_FILES]
# where steps run at the same time; and for stories: a fourth system and browser took more than their worker gave
FEW_WORKERS = ["-n", "3", *BY_FILES]
BROWSER_MARK = "pytest.mark.browser"
QUICK_STATIC = ("lint", "format", "types", "migrations", "tests of the phone's scripts")
NO_BENCH, NO_CONVENTIONS = ["--ignore", "tests/bench"], ["--ignore", "tests/conventions"]
REHEARSE = ["rehearse", "--jobs", "8"]

ADVISORIES = "https://api.osv.dev"
ASK_FOR_ADVISORY = f"""
from urllib.request import urlopen
urlopen("{ADVISORIES}/v1/vulns/PYSEC-2024-157", timeout=5).read()
"""


def python(*arguments: str) -> list[str]:
    return [PYTHON, "-m", *arguments]


def pytest(*arguments: str) -> list[str]:
    return python("pytest", "-q", "--tb=short", *arguments)


def manage(*arguments: str) -> list[str]:
    return [PYTHON, "manage.py", *arguments]


def production(folder: Path) -> dict[str, str]:
    """What a production start needs at least, with values of no worth."""
    authority = trustme.CA()
    ours = authority.issue_cert("dispatch.example.org")
    pem = {
        "SELLER_CA": authority.cert_pem,
        "SELLER_CLIENT_CERT": ours.cert_chain_pems[0],
        "SELLER_CLIENT_KEY": ours.private_key_pem,
    }
    for name, content in pem.items():
        content.write_to_path(str(folder / f"{name}.pem"))
    return {
        "DEPLOYMENT": "production",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "ALLOWED_HOSTS": "dispatch.example.org",
        "PUBLIC_URL": "https://dispatch.example.org",
        "DATABASE_URL": f"sqlite:///{folder / 'production.sqlite3'}",
        "EVIDENCE_STORAGE_URL": f"file://{folder / 'evidence'}",
        "REQUIRE_SECOND_FACTOR": "1",
        "SELLER_ENDPOINTS": "https://a.seller.example,https://b.seller.example",
        **{name: str(folder / f"{name}.pem") for name in pem},
        "SELLER_ALLOWED_SUBJECTS": "jobs.seller.example",
        "SELLER_ALLOWED_ADDRESSES": "192.0.2.10",
        "QUESTION_MATRIX": str(ROOT / "closures" / "data" / "matrix_sample_2.json"),
        "OFFICE_PHONE": "0113 496 0111",
        "ORDER_DESK_PHONE": "0113 496 0100",
    }


def uv() -> str:
    """uv's path, as tools/environment.sh finds it, or nothing."""
    own = ROOT / ".uv" / "bin" / "uv"
    return shutil.which("uv") or (str(own) if own.exists() else "")


def audit_missing() -> str:
    """Asks for one advisory within a few seconds, in a process of its own: a name server can be slow, too."""
    if not uv():
        return "uv is not installed"
    try:
        subprocess.run([PYTHON, "-c", ASK_FOR_ADVISORY], check=True, capture_output=True, timeout=8)
    except (subprocess.SubprocessError, OSError):
        return f"{ADVISORIES} cannot be reached"
    return ""


def postgresql_missing() -> str:
    parts = urlsplit(POSTGRESQL)
    try:
        psycopg.connect(POSTGRESQL, connect_timeout=3).close()
    except psycopg.OperationalError as problem:
        where = f"{parts.hostname or 'the local socket'}:{parts.port or 5432}"
        return f"no server at {where} ({str(problem).splitlines()[0]})"
    return ""


def postgresql_url(purpose: str) -> str:
    """A database name of our own, so that two runs or two steps on one server do not share one."""
    return urlsplit(POSTGRESQL)._replace(path=f"/{purpose}_{os.getpid()}").geturl()


def node_missing() -> str:
    if not javascript_tests():
        return "tests/js holds no test"
    return "" if shutil.which("node") else "node is not installed"


def tsc_missing() -> str:
    if TSC.exists():
        return node_missing()
    return "typescript is not installed (cd frontend && npm ci --ignore-scripts)"


def oxlint_missing() -> str:
    return (
        node_missing()
        if OXLINT.exists()
        else "oxlint is not installed (cd frontend && npm ci --ignore-scripts)"
    )


def browser_missing() -> str:
    found = any(shutil.which(name) for name in BROWSERS)
    return "" if found else f"no browser ({' or '.join(BROWSERS)}) is installed"


def javascript_tests() -> list[str]:
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests" / "js").rglob("*.test.mjs"))


def story_files() -> list[str]:
    """Only these are collected for the browser, by each worker: the other thousand take ten seconds of each."""
    tests = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(path.relative_to(ROOT)) for path in tests if BROWSER_MARK in path.read_text()]


def static_steps(folder: Path) -> Iterator[Step]:
    demo = {"DEPLOYMENT": "test", "DATABASE_URL": f"sqlite:///{folder / 'check.sqlite3'}"}
    yield Step("types (mypy)", python("mypy", *TYPED))
    yield Step("lint (ruff)", python("ruff", "check", "."))
    yield Step("format (ruff)", python("ruff", "format", "--check", "."))
    yield Step("migrations are complete", manage("makemigrations", "--check", "--dry-run"), demo)
    yield Step(
        "settings fit for production",
        manage("check", "--deploy", "--fail-level", "WARNING"),
        production(folder),
    )
    yield Step("known faults of dependencies (uv)", [uv(), "audit", "--locked"], {}, audit_missing)
    # pages, workers and Node know different libraries, hence a project for each
    projects = [f"frontend/{name}.json" for name in ("tsconfig", "tsconfig.worker", "tsconfig.tools")]
    yield Step("types of the scripts", ["node", str(TSC), "--build", *projects], {}, tsc_missing)
    linted = ["-c", "frontend/oxlint.json", "static/js", "tests/js", "frontend"]
    yield Step("lint of the scripts (oxlint)", ["node", str(OXLINT), *linted], {}, oxlint_missing)
    yield Step(
        "tests of the phone's scripts",
        # a test that waits for ever is named with its file
        ["node", "--test", "--test-reporter=dot", "--test-timeout=120000", *javascript_tests()],
        {},
        node_missing,
    )


def test_steps(folder: Path) -> Iterator[Step]:
    """The longest first; the small ones two at a time at the end."""
    yield Step(
        "tests in a browser",
        # each worker has a system and a browser of its own; a file of stories stays with one worker
        pytest(*FEW_WORKERS, "-m", "browser", *story_files()),
        {},
        browser_missing,
        fills_machine=True,
    )
    yield Step(
        "tests on PostgreSQL",
        # what opens no database, or looks at the sources only, runs on SQLite
        pytest(*NO_BENCH, *NO_CONVENTIONS, *MANY_WORKERS, "--only-database", "-m", "not browser"),
        {"DATABASE_URL": postgresql_url("check")},
        postgresql_missing,
        fills_machine=True,
    )
    on_sqlite = pytest(*NO_BENCH, *MANY_WORKERS, "-m", "not browser and not postgresql")
    yield Step("tests on SQLite", on_sqlite, fills_machine=True)
    sandbox = ["seller_sandbox/tests", "-c", "seller_sandbox/pytest.ini", "--rootdir", "seller_sandbox"]
    yield Step("tests of the sandbox seller", pytest("-n", "2", *sandbox))
    yield Step(
        "the sandbox seller's locks on PostgreSQL",
        pytest("-m", "locks", *sandbox),
        {"SANDBOX_DATABASE_URL": postgresql_url("locks")},
        postgresql_missing,
    )
    yield Step(
        "rehearsal of eight jobs",
        manage(*REHEARSE, "--folder", str(folder / "rehearse")),
        {"DEPLOYMENT": "demo"},
    )
    url = postgresql_url("rehearse")
    yield Step(
        "rehearsal on PostgreSQL",
        manage(*REHEARSE, "--postgresql", url, "--seed", "2", "--folder", str(folder / "rehearse_2")),
        {"DEPLOYMENT": "demo"},
        postgresql_missing,
    )


def all_steps(folder: Path) -> Iterator[Step]:
    # one process compiles the tests for the many workers; types take as long, in the other lane
    yield Step("tests can be collected", python("pytest", "-qq", "--collect-only", "tests"))
    yield from static_steps(folder)
    yield from test_steps(folder)


def changed_apps() -> list[str]:
    """Folders of tests whose app was changed here: in the working tree, or since origin/main."""
    since = git("merge-base", "HEAD", "origin/main") or ["HEAD"]
    paths = [*git("diff", "--name-only", *since), *git("ls-files", "--others", "--exclude-standard")]
    roots = {path.split("/")[1] if path.startswith("tests/") else path.split("/")[0] for path in paths}
    return sorted(root for root in roots if (ROOT / "tests" / root / "__init__.py").exists())


def git(*arguments: str) -> list[str]:
    """The lines that it prints; none where it fails."""
    found = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return found.stdout.splitlines()


def quick_steps(folder: Path) -> Iterator[Step]:
    yield from (step for step in static_steps(folder) if step.name.startswith(QUICK_STATIC))
    apps = [app for app in changed_apps() if app not in {"browser", "bench", "faults", "conventions"}]
    folders = [f"tests/{app}" for app in ["conventions", *apps]]
    marks = ["-m", "not browser and not postgresql and not slow"]
    name = f"unit tests of {', '.join(apps)}" if apps else "conventions (no app was changed)"
    yield Step(name, pytest(*FEW_WORKERS, *marks, *folders))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="run the steps whose name contains this")
    parser.add_argument("--quick", action="store_true", help="two minutes: what was changed")
    arguments = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fibre-check-") as name:
        folder = Path(name)
        steps = [*quick_steps(folder)] if arguments.quick else [*all_steps(folder)]
        steps = [step for step in steps if arguments.only in step.name]
        outcomes = Runner(folder).run_all(steps)
    summarise(outcomes, seconds=time.monotonic() - started)
    return 1 if any(outcome.verdict == "FAILED" for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
