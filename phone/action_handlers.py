"""What each kind of phone message does: one verb each."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _
from rest_framework.serializers import Serializer

from closures import answers, closing, codes, site_safety
from closures.closing import Outcome
from closures.photos import evidence
from closures.photos.evidence import Capture
from closures.question_matrix.matrix import Question
from closures.question_matrix.matrix_editions import edition_on_arrival, matrix_for_job
from dispatch import attention, handover_requests, visits
from dispatch.job_events import LockedJob, Performer
from dispatch.models import OntScan
from dispatch.ont_scans import BadScan
from dispatch.problems import ActionRefused, Problem
from dispatch.states import Actor
from engineers import location_history, lone_worker
from engineers.models import CheckInEnd, Engineer
from engineers.staff import Position
from phone import serializers, superseded


@dataclass(frozen=True)
class PhoneAction:
    """One message with its body already checked, its job locked; all its times are by our clock."""

    job: LockedJob
    engineer: Engineer
    occurred_at: datetime
    body: dict[str, Any]
    clock_ahead: timedelta = timedelta()

    @property
    def by(self) -> Performer:
        return Performer(Actor.ENGINEER, self.engineer.user, self.clock_ahead)


def en_route(action: PhoneAction) -> None:
    visits.start_travel(
        job=action.job,
        engineer=action.engineer,
        by=action.by,
        occurred_at=action.occurred_at,
        position=Position(**action.body["position"]),
    )


def on_site(action: PhoneAction) -> None:
    visits.arrive(
        job=action.job,
        engineer=action.engineer,
        by=action.by,
        occurred_at=action.occurred_at,
        position=Position(**action.body["position"]),
        matrix_edition=edition_on_arrival(displayed=action.body.get("matrix", ""), moment=action.occurred_at),
    )


def record_scan(action: PhoneAction) -> None:
    scan_id = action.body["scan_id"]
    # one look for both: whether this scan is stored, of whichever job, and what the job has
    stored = OntScan.objects.filter(Q(pk=scan_id) | Q(job=action.job))
    if scan_id in {scan.pk for scan in stored}:
        raise BadScan([Problem("scan_known", "scan_id", _("This scan has already been sent."))])
    superseded.refuse_older_scan(action.job, stored, engineer=action.engineer, occurred_at=action.occurred_at)
    visits.record_ont_scan(
        job=action.job, engineer=action.engineer, by=action.by, occurred_at=action.occurred_at, **action.body
    )


def record_answer(action: PhoneAction) -> None:
    visits.own_visit(job=action.job, engineer=action.engineer)
    superseded.refuse_older_answer(action.job, action.body["question"], occurred_at=action.occurred_at)
    answer = answers.record_answer(
        job=action.job,
        question_code=action.body["question"],
        value=action.body["value"],
        answered_at=action.occurred_at,
        by=action.engineer,
    )
    question = matrix_for_job(action.job).find(action.body["question"])
    if question and question.unsafe:
        report_safety(action, question, answer.value)


def report_safety(action: PhoneAction, question: Question, value: Any) -> None:
    site_safety.report_unsafe_site(
        job=action.job,
        engineer=action.engineer,
        question=question,
        value=value,
        answered_at=action.occurred_at,
    )


def withdraw_answer(action: PhoneAction) -> None:
    visits.own_visit(job=action.job, engineer=action.engineer)
    superseded.refuse_older_answer(action.job, action.body["question"], occurred_at=action.occurred_at)
    answers.withdraw_answer(job=action.job, question_code=action.body["question"])
    question = matrix_for_job(action.job).find(action.body["question"])
    if question and question.unsafe:
        site_safety.review_unsafe_sites(action.job)


def announce_photo(action: PhoneAction) -> None:
    """Never too late: a picture is evidence whatever became of the job, and its bytes follow in any case."""
    body = action.body
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
    evidence.announce_photo(job=action.job, capture=capture, by=action.engineer)


def close(action: PhoneAction) -> None:
    if codes.find_code(action.body["code"]).without_visit:
        raise ActionRefused(
            [Problem("office_only", "code", _("Only the dispatch office can close a job without a visit."))]
        )
    visits.own_visit(job=action.job, engineer=action.engineer)
    closing.close_job(
        job=action.job,
        outcome=Outcome(**action.body),
        by=action.by,
        closed_at=action.occurred_at,
        engineer=action.engineer,
    )
    lone_worker.end_check_in(
        engineer=action.engineer, at=action.occurred_at, how=CheckInEnd.CLOSED, job=action.job.provider_job_id
    )


def request_handover(action: PhoneAction) -> None:
    visits.own_visit(job=action.job, engineer=action.engineer)
    request = handover_requests.request_handover(
        job=action.job,
        engineer=action.engineer,
        by=action.by,
        occurred_at=action.occurred_at,
        reason=action.body["reason"],
    )
    attention.report_handover_request(request)


def start_check_in(action: PhoneAction) -> None:
    """Never too late and never out of turn: whoever is alone somewhere may say so, whatever became of the job."""
    lone_worker.start_check_in(
        engineer=action.engineer,
        provider_job_id=action.job.provider_job_id,
        minutes=action.body["minutes"],
        started_at=action.occurred_at,
    )


def end_check_in(action: PhoneAction) -> None:
    lone_worker.end_check_in(engineer=action.engineer, at=action.occurred_at, how=CheckInEnd.DONE)


def record_driving(action: PhoneAction) -> None:
    location_history.record_driving(
        engineer=action.engineer, position=Position(**action.body["position"]), taken_at=action.occurred_at
    )


@dataclass(frozen=True)
class Handler:
    shape: type[Serializer[Any]]
    apply: Callable[[PhoneAction], None]
    # whether the answer has the job's state, which is for the engineer of the job
    answers_state: bool = True


HANDLERS: dict[str, Handler] = {
    "en_route": Handler(serializers.TravelSerializer, en_route),
    "on_site": Handler(serializers.ArrivalSerializer, on_site),
    "ont_scanned": Handler(serializers.ScanSerializer, record_scan),
    "answered": Handler(serializers.AnswerSerializer, record_answer),
    "answer_withdrawn": Handler(serializers.WithdrawalSerializer, withdraw_answer),
    "photo_taken": Handler(serializers.PhotoSerializer, announce_photo, answers_state=False),
    "close": Handler(serializers.CloseSerializer, close),
    "handover_requested": Handler(serializers.HandOverSerializer, request_handover),
    "check_in": Handler(serializers.CheckInSerializer, start_check_in, answers_state=False),
    "driving": Handler(serializers.DrivingSerializer, record_driving, answers_state=False),
    "check_in_done": Handler(serializers.NothingSerializer, end_check_in, answers_state=False),
}
