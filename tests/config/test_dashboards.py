"""Every metric and label in the dashboard and in the alert rules is one that /metrics has."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.db import connection
from django.test import Client
from pytest_django import Settings

from monitoring.alarm_kinds import ALARM_KINDS
from monitoring.models import AlarmKind, Urgency
from tests.config.test_handbook import BOOK, OF_POSTGRESQL, something_of_everything
from tests.conventions.sources import ROOT
from tests.monitoring.test_web_metrics import text_string_to_metric_families

RULES = ROOT / "deploy" / "prometheus" / "alerts.yml"
DASHBOARD = ROOT / "deploy" / "grafana" / "fibre-dispatch.json"
# of Prometheus itself
OWN_METRICS, OWN_LABELS = {"up"}, {"instance", "job", "le"}
GROUPING = re.compile(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)")
SELECTOR = re.compile(r"([a-z_]+)\{([^}]*)\}")
NAME = re.compile(r"\b([a-z_][a-z0-9_]*)\b(?!\s*\()")
LABEL = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)")
KEYWORDS = {"and", "or", "unless", "bool", "offset"}


def metrics_of(expression: str) -> set[str]:
    bare = re.sub(r'"[^"]*"', "", expression)
    bare = re.sub(r"\{[^}]*\}|\[[^\]]*\]", "", GROUPING.sub("", bare))
    return set(NAME.findall(bare)) - KEYWORDS


def labels_of(expression: str) -> set[str]:
    bare = re.sub(r'"[^"]*"', '""', expression)
    grouped = {label.strip() for group in GROUPING.findall(bare) for label in group.split(",")}
    return grouped | {label for _name, inside in SELECTOR.findall(bare) for label in LABEL.findall(inside)}


def rules() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def panels() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(DASHBOARD.read_text())["panels"]
    return found


def expressions() -> Iterator[tuple[str, str]]:
    for rule in rules():
        yield rule["alert"], rule["expr"]
    for panel in panels():
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]


@pytest.fixture
def offered(
    db: None, our_certificates: None, settings: Settings, tmp_path: Path
) -> tuple[set[str], set[str]]:
    """Sample names and labels of /metrics, as Prometheus reads them."""
    settings.BACKUP_FOLDER = str(tmp_path)
    something_of_everything()
    text = Client(REMOTE_ADDR="127.0.0.1").get("/metrics").content.decode()
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    names = {sample.name for sample in samples}
    labels = {label for sample in samples for label in sample.labels}
    if connection.vendor != "postgresql":
        names |= OF_POSTGRESQL
    return names, labels


def test_every_metric_and_label_exists(offered: tuple[set[str], set[str]]) -> None:
    names, labels = offered
    wrong = [
        f"{title}: {name}"
        for title, expression in expressions()
        for name in (metrics_of(expression) - names - OWN_METRICS)
        | (labels_of(expression) - labels - OWN_LABELS)
    ]

    assert wrong == []


def test_every_metric_of_ours_is_on_the_dashboard(offered: tuple[set[str], set[str]]) -> None:
    displayed = {
        name for panel in panels() for t in panel.get("targets", []) for name in metrics_of(t["expr"])
    }
    # only a process that is no worker of a web server says when a counter was created
    names = {name for name in offered[0] if not name.endswith("_created")}

    assert {_family(name) for name in names} - {_family(name) for name in displayed} == set()


def _family(name: str) -> str:
    return re.sub(r"_(bucket|count|sum)$", "", name)


@pytest.mark.parametrize(
    ("expression", "names", "labels"),
    [
        ('sum by (le) (rate(a_total{b=~"c|d"}[5m])) / e > 0.5', {"a_total", "e"}, {"le", "b"}),
        ("histogram_quantile(0.9, max by (le, x) (rate(a_bucket[1h])))", {"a_bucket"}, {"le", "x"}),
    ],
)
def test_names_are_read_from_an_expression(expression: str, names: set[str], labels: set[str]) -> None:
    assert (metrics_of(expression), labels_of(expression)) == (names, labels)


def test_every_rule_says_what_to_do_and_is_in_the_handbook() -> None:
    for rule in rules():
        assert rule["labels"]["severity"] in {"critical", "warning"}
        assert rule["annotations"].keys() == {"summary", "action"}
        assert rule["for"]
        assert f"`{rule['alert']}`" in BOOK


# the alarm's own figure is watched
RULE_OF_KIND = {AlarmKind.PROCESS_STUCK: "ProcessSilent", AlarmKind.DISK_FULL: "DiskNearlyFull"}


def test_somebody_is_woken_for_the_kinds_that_may_wake_people_at_any_hour() -> None:
    by_name = {rule["alert"]: rule for rule in rules()}
    (kinds,) = re.findall(r'kind=~"([^"]+)"', by_name["CriticalAlarmOpen"]["expr"])
    at_any_hour = {kind for kind, facts in ALARM_KINDS.items() if facts.urgency == Urgency.ANY_HOUR}

    assert {*kinds.split("|"), *RULE_OF_KIND} == at_any_hour
    assert {by_name[name]["labels"]["severity"] for name in RULE_OF_KIND.values()} == {"critical"}


def test_panels_have_numbers_and_positions_of_their_own() -> None:
    positions = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels()]

    assert len({panel["id"] for panel in panels()}) == len(panels()) == len(set(positions))
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in panels())


@pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is not installed (Debian: prometheus)")
@pytest.mark.parametrize(
    "command", [("check", "rules", "alerts.yml"), ("check", "config", "prometheus.yml")], ids=" ".join
)
def test_prometheus_takes_the_files(command: tuple[str, ...]) -> None:
    done = subprocess.run(
        ["promtool", *command], check=False, cwd=RULES.parent, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stdout + done.stderr
