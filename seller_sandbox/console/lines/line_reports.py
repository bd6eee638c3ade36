"""A line as the control interface shows it: what is simulated, what is reported, what a test says, who tested it."""

from datetime import datetime
from typing import Any

from django.db.models import Q

from seller_sandbox.diagnostics import line_states, line_tests, node_load, service_paths
from seller_sandbox.diagnostics.line_states import AtPremises, ReportedStatus
from seller_sandbox.diagnostics.models import DiagnosticsRun, LineState
from seller_sandbox.diagnostics.service_paths import ServicePath
from seller_sandbox.jobs.models import Job
from seller_sandbox.network import locations, services

RUNS_LISTED = 20

Report = dict[str, Any]


def find_premises(reference: str) -> AtPremises | None:
    """Premises by UPRN, by the service that is or was there, or by a job pack's UPRN or service."""
    if location := locations.find(reference):
        return location
    if service := services.find(reference):
        return service.location
    jobs = Job.objects.filter(Q(uprn=reference) | Q(pack__serviceIdentifier=reference))
    return jobs.order_by("pk").last()


def report_line(premises: AtPremises) -> Report:
    path = service_paths.of_premises(premises.uprn)
    line = line_states.find_state(premises)
    test = line_tests.run_test_of_path(path)
    return {
        **report_state(line),
        "serviceIdentifier": path.service_identifier or None,
        "next_best_action": {
            "code": test.code,
            "current_status": test.current_status,
            "result": test.result,
            "action": test.action,
        },
        "service_path_usage": test.service_path_usage,
        **_load(path),
        "runs": [_run(run) for run in list_runs(path)],
    }


def report_state(line: LineState) -> Report:
    """What is simulated and what was reported last."""
    report = line_states.report_of(line)
    return {
        "uprn": line.uprn,
        "simulated": {
            "has_power": line.has_power,
            "has_fibre": line.has_fibre,
            "can_be_tested": line.can_be_tested,
            "uni_port": line.port_in_truth,
        },
        "ont": {"fsan": report.ont_fsan or None, **_status(report.ont)},
        "cfm": _status(report.cfm),
        "uni_port": _status(report.uni_port),
    }


def _status(reported: ReportedStatus) -> Report:
    return {
        "status": reported.status,
        "last_event_at": _instant(reported.last_event_at),
        "changed_from": reported.changed_from,
    }


def _load(path: ServicePath) -> Report:
    """The last busy period, and each node with its samples of five minutes."""
    period = node_load.last_busy_period()
    samples = node_load.list_samples(path.nodes.values())
    nodes = []
    for name, node in path.nodes.items():
        minutes = node_load.peak_minutes(name)
        peak = node_load.peak_percent(samples[node], minutes=minutes)
        nodes.append(
            {
                "name": name,
                "node": node,
                "is_used": name in path.own_nodes,
                "rag_status": node_load.colour(samples[node], minutes=minutes),
                "peak_minutes": minutes,
                "peak_percent": _number(peak),
                "samples": [_number(sample) for sample in samples[node]],
            }
        )
    return {
        "busy_period": {"starts_at": _instant(period.starts_at), "ends_at": _instant(period.ends_at)},
        "nodes": nodes,
    }


def list_runs(path: ServicePath) -> list[DiagnosticsRun]:
    """Tests of the service that were asked for, the newest first."""
    found = DiagnosticsRun.objects.filter(service_identifier=path.service_identifier)
    return list(found.order_by("-run_at", "-pk")[:RUNS_LISTED])


def _run(run: DiagnosticsRun) -> Report:
    return {
        "caller": run.caller,
        "run_at": _instant(run.run_at),
        "code": run.code,
        "messageId": run.message_id,
    }


def _instant(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
