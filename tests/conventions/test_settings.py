"""docs/operating.md and the code name the same settings, and a wrong value stops the start and names itself."""

import ast
import json
import os
import re
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest
from django.conf import global_settings

from tests.conventions.sources import OURS, ROOT, Source, python
from tools.check import production

READERS = re.compile(
    r"env_(text|secret|bool|int|float|list|choice|zone|url|url_or_path|map_url|path|file|addresses|https_urls|database|vapid_key|geocoder)"
)
ROW = re.compile(r"^\| `([A-Z][A-Z0-9_]+)` \|", re.M)
# every text is right for these
ANY_TEXT = {
    "BACKUP_PASSPHRASE",
    "BACKUP_FOLDER",
    "PUBLIC_CERT",
    "ALLOWED_HOSTS",
    "ALARM_WEBHOOK_HOSTS",
    "SMS_GATEWAY_AUTHORIZATION",
    "MAP_TILES_ATTRIBUTION",
    "GEOCODER_USER_AGENT",
    "GEOCODER_DOMAIN",
    "SELLER_ALLOWED_SUBJECTS",
    "ORDER_DESK_PHONE",
    "OFFICE_PHONE",
    "OIDC_CLIENT_ID",
    "OIDC_CLIENT_SECRET",
    "OIDC_LABEL",
    "OIDC_SECOND_FACTORS",
    "PUSH_HOSTS",
    "CUSTOMER_SENDER_NAME",
    "CUSTOMER_PHONE",
}
# of the tests themselves: a wrong one skips the PostgreSQL tests and says so
OF_THE_TESTS = {"TEST_POSTGRESQL_URL"}
WRONG = {
    "DEPLOYMENT": "staging",
    "SECRET_KEY": "",
    "DEBUG": "maybe",
    "PUBLIC_URL": "dispatch.example.org",
    "DATABASE_URL": "mysql://root@db/dispatch",
    "DATABASE_CONNECTION_SECONDS": "long",
    "DATABASE_PREPARE_AFTER": "-1",
    "TIME_ZONE": "Europe/Leeds",
    "WEB_PROCESSES": "0",
    "WEB_THREADS": "0",
    "WEB_MEMORY_MB": "64",
    "BACKUP_WARNING_HOURS": "0",
    "DISK_FREE_MB": "much",
    "CLOSURE_REVIEW": "perhaps",
    "TRAVEL_SHORTFALL_MINUTES": "long",
    "TRAVEL_SERVER_URL": "osrm.example.org:5000",
    "TRAVEL_SERVER_KIND": "horse",
    "TRAVEL_SERVER_LOCATIONS": "1",
    "TRAVEL_SERVER_SECONDS": "soon",
    "PLAN_SECONDS": "0",
    "TRAVEL_KEPT_DAYS": "0",
    "NETWORK_PATTERN_JOBS": "1",
    "NETWORK_PATTERN_MINUTES": "short",
    "CAPACITY_TRAVEL_MINUTES": "-1",
    "CAPACITY_WARNING_DAYS": "15",
    "CAPACITY_WARNING_MINUTES": "none",
    "LOG_LEVEL": "LOUD",
    "LOGIN_FAILURE_LIMIT": "0",
    "LOGIN_COOLOFF_HOURS": "0",
    "SESSION_HOURS": "0",
    "SKILL_WARNING_DAYS": "-1",
    "SIGN_IN_LINK_HOURS": "0",
    "REQUIRE_SECOND_FACTOR": "perhaps",
    "RETENTION_PACK_DAYS": "0",
    "RETENTION_MESSAGE_DAYS": "for ever",
    "RETENTION_PHOTO_DAYS": "89",
    "RETENTION_SIGNATURE_DAYS": "89",
    "RETENTION_PHONE_MESSAGE_DAYS": "-1",
    "RETENTION_LOG_DAYS": "0",
    "RETENTION_AUDIT_DAYS": "29",
    "OIDC_ISSUER": "http://login.example.org",
    "OIDC_NEW_ACCOUNT_ROLE": "supervisor",
    "MAIL_SERVER_URL": "mail.example.org",
    "MAIL_FROM": "dispatch",
    "PASSWORD_RESET_MINUTES": "4",
    "EVIDENCE_STORAGE_URL": "ftp://evidence",
    "PHOTO_MAX_BYTES": "25MB",
    "MAP_TILES_URL": "tiles/{z}/{x}/{y}.png",
    "MAP_LINK_URL": "https://maps.example.org/",
    "NAVIGATION_URL": "maps.example.org/{latitude},{longitude}",
    "GEOCODER": "crystal-ball",
    "SELLER_ENDPOINTS": "http://seller.example.org",
    "SELLER_INBOUND_PATH": "seller",
    "SELLER_CLIENT_CERT": "/nowhere/partner.pem",
    "SELLER_CLIENT_KEY": "/nowhere/partner.key",
    "SELLER_CA": "/nowhere/ca.pem",
    "SELLER_ALLOWED_ADDRESSES": "seller.example.org",
    "SELLER_SERVER_CERT": "/nowhere/door.pem",
    "SELLER_SERVER_KEY": "/nowhere/door.key",
    "SELLER_CRL": "/nowhere/revoked.pem",
    "SELLER_RECORD_URL": "record.seller.example.org",
    "SELLER_DEADLINE_SECONDS": "soon",
    "SELLER_MESSAGE_MAX_BYTES": "12",
    "SELLER_SERVER_PROCESSES": "0",
    "SELLER_SERVER_CONNECTIONS": "0",
    "SELLER_SERVER_QUEUE": "-1",
    "SELLER_SERVER_WAIT_SECONDS": "0",
    "SELLER_SERVER_READ_SECONDS": "soon",
    "LINE_CHECK": "perhaps",
    "LINE_CHECK_PATH": "sandbox/api2",
    "LINE_CHECK_SECONDS": "0",
    "LINE_CHECK_CACHE_SECONDS": "-1",
    "LINE_CHECK_PER_JOB": "0",
    "LINE_CHECK_PER_MINUTE": "0",
    "METRICS_ALLOWED_ADDRESSES": "prometheus.example.org",
    "POSITION_KEPT_DAYS": "0",
    "POSITION_EXACT_DAYS": "for ever",
    "VAPID_PRIVATE_KEY": "secret",
    "TRUSTED_PROXIES": "proxy.example.org",
    "RELAY_WORKERS": "0",
    "RELAY_LEASE_SECONDS": "5",
    "RELAY_BACKOFF_CAP_SECONDS": "0",
    "Q_BROKER": "post",
    "REDIS_URL": "127.0.0.1:6379",
    "RATE_LIMIT_SCALE": "0",
    "WORKER_PROCESSES": "0",
    "WORKER_TASK_SECONDS": "0.5",
    "HEARTBEAT_SILENT_SECONDS": "5",
    "ALARM_WEBHOOK_SECRET": "short",
    "SMS_GATEWAY_URL": "sms.example.org",
    "SMS_GATEWAY_FIELDS": '{"to": "number"}',
    "SMS_GATEWAY_FORMAT": "xml",
    "WEBHOOK_SECONDS": "0",
    "WEBHOOK_RETRY_HOURS": "0",
    "WEBHOOK_PRIVATE_ADDRESSES": "perhaps",
    "CUSTOMER_MESSAGES": "sms",
    "CUSTOMER_LANGUAGE": "fr",
    "QUESTION_MATRIX": "/nowhere/matrix.json",
    "BOARD_STREAM_URL": "board/stream",
    "DEMO_PEOPLE_PORT": "80000",
    "DEMO_BOARD_STREAM_PORT": "80000",
    "DEMO_SELLER_SERVER_PORT": "0",
    "DEMO_SANDBOX_A_PORT": "https",
    "DEMO_SANDBOX_B_PORT": "-1",
    "DEMO_CONSOLE_PORT": "9 000",
    "DEMO_BUYERS_PORT": "70000",
    "DEMO_NOTIFICATIONS_PORT": "-2",
}
# a new start for each case: settings, then what only a start with apps looks at
STARTER = """
import json, os, runpy, sys
from django.core.exceptions import ImproperlyConfigured

clean = dict(os.environ)
for name, value in json.load(sys.stdin).items():
    os.environ.clear()
    os.environ.update({**clean, name: value})
    try:
        runpy.run_path("config/settings.py")
        runpy.run_path("demo/ports.py")["ports_from_environment"]()
        said = "started"
    except ImproperlyConfigured as problem:
        said = str(problem)
    print(json.dumps([name, said]))
"""


# what is installed reads these packages' settings
PACKAGES = ("axes", "csp", "django_otp", "django_q", "rest_framework", "whitenoise")


def unread(settings: Source, text: str) -> set[str]:
    """Settings that the file makes and that neither it nor `text` reads."""
    names = [node for node in ast.walk(settings.tree) if isinstance(node, ast.Name) and node.id.isupper()]
    made = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    used = {name.id for name in names if isinstance(name.ctx, ast.Load)}
    return made - used - set(re.findall(r"[A-Z][A-Z0-9_]+", text))


def test_every_setting_is_read_by_somebody() -> None:
    settings = next(source for source in python("config") if source.path == "config/settings.py")
    ours = [source.text for source in python(*OURS) if source != settings]
    folders = [Path(next(iter(import_module(name).__path__))) for name in PACKAGES]
    theirs = [path.read_text() for folder in folders for path in folder.rglob("*.py")]

    assert unread(settings, "\n".join([*dir(global_settings), *ours, *theirs])) == set()


def test_setting_that_nobody_reads_is_named() -> None:
    settings = Source("config/settings.py", "OLD = 1\nUSED = 2\nNEW = USED\nOTHER: int = 3")

    assert unread(settings, "settings.NEW, settings.OTHER_NAME") == {"OLD", "OTHER"}


def documented() -> set[str]:
    return set(ROW.findall((ROOT / "docs" / "operating.md").read_text()))


def read_in(source: Source) -> set[str]:
    """The variables that a file reads through config.environment."""
    return {
        str(call.args[0].value)
        for call in ast.walk(source.tree)
        if isinstance(call, ast.Call)
        and READERS.fullmatch(ast.unparse(call.func).rpartition(".")[2])
        and call.args
        and isinstance(call.args[0], ast.Constant)
    }


def read_more_than_once(sources: list[Source]) -> list[str]:
    """Functions that read variables and are called at more than one place: each start would parse these twice."""
    trees = [source.tree for source in sources]
    readers = {
        node.name
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and READERS.search(ast.unparse(node))
    }
    called = Counter(
        ast.unparse(node.func).rpartition(".")[2]
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    )
    return sorted(name for name in readers if called[name] > 1)


def test_each_setting_is_read_at_one_place() -> None:
    files = [source for source in python("config") if source.path != "config/environment.py"]

    assert read_more_than_once(files) == []


def test_setting_that_is_read_twice_is_named() -> None:
    twice = Source("config/a.py", "def mail():\n    return env_text('MAIL')\nA = mail()\nB = channels.mail()")

    assert read_more_than_once([twice]) == ["mail"]


def start_with(values: dict[str, str], folder: Path) -> dict[str, str]:
    """What a production start says to each of these values alone."""
    environment = {
        **{name: value for name, value in os.environ.items() if name not in documented()},
        **production(folder),
    }
    done = subprocess.run(
        [sys.executable, "-c", STARTER],
        input=json.dumps(values),
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(json.loads(line) for line in done.stdout.splitlines())


def test_every_setting_is_documented_and_every_documented_one_is_read() -> None:
    read = set().union(*(read_in(source) for source in python(*OURS)))

    assert read == documented() - OF_THE_TESTS


def test_settings_are_read_through_config_env_only() -> None:
    # no setting: prometheus_client's own variable, which `manage.py web` gives to its workers
    readers = {"config/environment.py", "demo/environment.py", "monitoring/web_metrics.py"}
    outside = [
        f"{source.path}:{node.lineno} reads the environment past config.environment"
        for source in python(*OURS)
        for node in ast.walk(source.tree)
        if source.path not in readers
        and isinstance(node, ast.Subscript | ast.Call)
        and ast.unparse(node).startswith(("os.environ.get", "os.environ[", "os.getenv", "environ["))
    ]

    assert outside == []


def test_every_documented_setting_is_tried_with_a_wrong_value() -> None:
    assert set(WRONG) | ANY_TEXT | OF_THE_TESTS == documented()


def test_wrong_value_stops_the_start_and_names_itself(tmp_path: Path) -> None:
    output = start_with(WRONG, tmp_path)

    assert {name: line for name, line in output.items() if not line.startswith(name)} == {}


def test_right_values_start(tmp_path: Path) -> None:
    assert start_with({"TIME_ZONE": "Europe/Dublin"}, tmp_path) == {"TIME_ZONE": "started"}


@pytest.mark.parametrize("name", ["SECRET_KEY_FILE", "DATABASE_URL_FILE"])
def test_secret_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    assert start_with({name: "/nowhere/secret"}, tmp_path)[name].startswith(
        f"{name}: cannot read /nowhere/secret"
    )


def test_period_that_no_calendar_holds_stops_the_start(tmp_path: Path) -> None:
    """A purge failed in the middle, and a sign-in, when the date was counted."""
    days = {
        name: "36501"
        for name in documented()
        if re.fullmatch(r"(RETENTION|POSITION)_\w+|TRAVEL_KEPT_DAYS", name)
    }
    limits = {**dict.fromkeys(days, 36_500), "SESSION_HOURS": 87_600}

    output = start_with({**days, "SESSION_HOURS": "87601"}, tmp_path)

    assert len(days) == 10
    assert {name: line.partition(":")[0] for name, line in output.items()} == {name: name for name in limits}
    assert {name: int(line.rpartition(" ")[2]) for name, line in output.items()} == limits
