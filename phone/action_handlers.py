"""What each kind of phone message does: one verb of the house each."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _
from rest_framework.serializers import Serializer

from closures import answers, closing, codes, evidence, matrix_versions
from closures.closing import Outcome
from closures.evidence import Capture
from closures.matrix import Question
from dispatch import handover_requests, jobs, visits
from dispatch.job_events import Performer
from dispatch.models import Job, OntScan
from dispatch.ont_scans import BadScan
from dispatch.problems import ActionRefused, Problem
from dispatch.states import Actor
from engineers import location_history, lone_worker
from engineers.models import CheckInEnd, Engineer
from engineers.staff import Position
from phone import serializers
from seller_link import site_safety


@dataclass(frozen=True)
class PhoneAction:
    """One message with its body already checked; all its times are by our clock."""

    job: Job
    engineer: Engineer
    occurred_at: datetime
    body: dict[str, Any]
    clock_ahead: timedelta = timedelta()

    @property
    def by(self) -> Performer:
        return Performer(Actor.ENGINEER, self.engineer.user, self.clock_ahead)


def en_route(said: PhoneAction) -> None:
    visits.start_travel(
        job=said.job,
        engineer=said.engineer,
        by=said.by,
        occurred_at=said.occurred_at,
        position=Position(**said.body["position"]),
    )


def on_site(said: PhoneAction) -> None:
    visits.arrive(
        job=said.job,
        engineer=said.engineer,
        by=said.by,
        occurred_at=said.occurred_at,
        position=Position(**said.body["position"]),
    )
    jobs.pin_matrix_edition(job=said.job, edition=matrix_versions.current_matrix().edition)


def record_scan(said: PhoneAction) -> None:
    if OntScan.objects.filter(pk=said.body["scan_id"]).exists():
        raise BadScan([Problem("scan_known", "scan_id", _("This scan has already been sent."))])
    visits.record_ont_scan(
        job=said.job, engineer=said.engineer, by=said.by, occurred_at=said.occurred_at, **said.body
    )


def record_answer(said: PhoneAction) -> None:
    visits.own_visit(job=said.job, engineer=said.engineer)
    given = answers.record_answer(
        job=said.job,
        question_code=said.body["question"],
        value=said.body["value"],
        answered_at=said.occurred_at,
        by=said.engineer,
    )
    question = matrix_versions.matrix_for_job(said.job).find(said.body["question"])
    if question and question.unsafe:
        report_safety(said, question, given.value)


def report_safety(said: PhoneAction, question: Question, value: Any) -> None:
    site_safety.report_unsafe_site(
        job=said.job,
        engineer=said.engineer,
        question=question,
        value=value,
        answered_at=said.occurred_at,
    )


def withdraw_answer(said: PhoneAction) -> None:
    visits.own_visit(job=said.job, engineer=said.engineer)
    answers.withdraw_answer(job=said.job, question_code=said.body["question"])
    question = matrix_versions.matrix_for_job(said.job).find(said.body["question"])
    if question and question.unsafe:
        site_safety.review_unsafe_sites(said.job)


def announce_photo(said: PhoneAction) -> None:
    """Never too late: a picture is evidence whatever became of the job, and its bytes follow in any case."""
    body = said.body
    position = Position(**body["position"]) if "position" in body else evidence.NO_POSITION
    capture = Capture(
        photo_id=body["photo_id"],
        question_code=body["question"],
        taken_at=body["taken_at"],
        sha256=body["sha256"],
        source=body["source"],
        position=position,
        checks=dict(body.get("checks", {})),
        original_sha256=body["original_sha256"],
        signer=body["signer"],
    )
    evidence.announce_photo(job=said.job, capture=capture, by=said.engineer)


def close(said: PhoneAction) -> None:
    if codes.find_code(said.body["code"]).without_visit:
        raise ActionRefused(
            [Problem("office_only", "code", _("Only the dispatch office can close a job without a visit."))]
        )
    visits.own_visit(job=said.job, engineer=said.engineer)
    closing.close_job(
        job=said.job,
        ending=Outcome(**said.body),
        by=said.by,
        closed_at=said.occurred_at,
        engineer=said.engineer,
    )
    lone_worker.end_check_in(
        engineer=said.engineer, at=said.occurred_at, how=CheckInEnd.CLOSED, job=said.job.provider_job_id
    )


def request_handover(said: PhoneAction) -> None:
    handover_requests.request_handover(
        job=said.job,
        engineer=said.engineer,
        by=said.by,
        occurred_at=said.occurred_at,
        reason=said.body["reason"],
    )


def start_check_in(said: PhoneAction) -> None:
    """Never too late and never out of turn: whoever is alone somewhere may say so, whatever became of the job."""
    lone_worker.start_check_in(
        engineer=said.engineer,
        provider_job_id=said.job.provider_job_id,
        minutes=said.body["minutes"],
        started_at=said.occurred_at,
    )


def end_check_in(said: PhoneAction) -> None:
    lone_worker.end_check_in(engineer=said.engineer, at=said.occurred_at, how=CheckInEnd.DONE)


def record_driving(said: PhoneAction) -> None:
    location_history.record_driving(
        engineer=said.engineer, position=Position(**said.body["position"]), taken_at=said.occurred_at
    )


@dataclass(frozen=True)
class Handler:
    shape: type[Serializer[Any]]
    apply: Callable[[PhoneAction], None]


HANDLERS: dict[str, Handler] = {
    "en_route": Handler(serializers.TravelSerializer, en_route),
    "on_site": Handler(serializers.TravelSerializer, on_site),
    "ont_scanned": Handler(serializers.ScanSerializer, record_scan),
    "answered": Handler(serializers.AnswerSerializer, record_answer),
    "answer_withdrawn": Handler(serializers.WithdrawalSerializer, withdraw_answer),
    "photo_taken": Handler(serializers.PhotoSerializer, announce_photo),
    "close": Handler(serializers.CloseSerializer, close),
    "hand_over_asked": Handler(serializers.HandOverSerializer, request_handover),
    "check_in": Handler(serializers.CheckInSerializer, start_check_in),
    "driving": Handler(serializers.DrivingSerializer, record_driving),
    "check_in_done": Handler(serializers.NothingSerializer, end_check_in),
}
