"""Test things made by the real functions: `make.job(at=JobState.ON_SITE)` makes the transitions to get there."""

import hashlib
import io
import itertools
import os
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import TypeVar
from zoneinfo import ZoneInfo

import time_machine
from django.db import transaction
from django.utils import timezone
from PIL import Image

from closures import answers, closing, closing_context
from closures.closing import Outcome
from closures.models import Answer, Closure, Photo
from closures.photos import evidence, image_validation
from closures.photos.evidence import Capture
from closures.question_matrix.matrix import Question
from dispatch import job_events, jobs, visits
from dispatch.job_events import Performer
from dispatch.job_pack import ExpectedOnt, JobPack, Premises, SiteAddress, SiteAdvice, SiteContact
from dispatch.models import Job, JobEvent, OntScan, ScanSource
from dispatch.states import Actor, JobState, JobType
from engineers import staff
from engineers.models import Engineer, Role, Shift, Skill, User
from engineers.staff import Position, ShiftPattern

LONDON = ZoneInfo("Europe/London")
# a Monday; whoever runs at the real time chooses a day that is to come
DAY = date.fromisoformat(os.environ.get("TEST_DAY", "2026-11-23"))
PASSWORD = "correct horse battery"
HERE = Position(latitude=53.8, longitude=-1.55, accuracy_metres=8)
ALL_SKILLS = ("cherry-picker", "dangerous-sites", "mdu", "civils", "team-of-two")

_number, _pictures = itertools.count(1), itertools.count(1)
Result = TypeVar("Result")


def at(clock: str, *, day: date = DAY) -> datetime:
    """`at("08:30")`: that local time on the test day."""
    return datetime.combine(day, time.fromisoformat(clock), tzinfo=LONDON)


def dispatcher(*, username: str = "", role: Role = Role.DISPATCHER) -> User:
    username = username or f"dispatcher{next(_number)}"
    return staff.hire_office(username=username, password=PASSWORD, name="Dana Dispatch", role=role)


def engineer(
    *,
    username: str = "",
    name: str = "Erin Engineer",
    skills: tuple[str, ...] = ALL_SKILLS,
    starts: str = "08:00",
    ends: str = "18:00",
) -> Engineer:
    """An engineer who works every day of the week."""
    number = next(_number)
    for code in skills:
        Skill.objects.get_or_create(code=code, defaults={"name": code})
    return staff.hire_engineer(
        username=username or f"engineer{number}",
        password=PASSWORD,
        name=name,
        staff_number=f"E{number:03}",
        phone="07700 900123",
        home=HERE,
        skill_codes=skills,
        shifts=[ShiftPattern(tuple(range(7)), time.fromisoformat(starts), time.fromisoformat(ends))],
    )


def give_break(engineer: Engineer, starts: str = "12:00", ends: str = "12:30") -> Engineer:
    """Every day from then to then: each shift becomes two."""
    for shift in engineer.shifts.all():
        Shift.objects.create(
            engineer=engineer, weekday=shift.weekday, starts=time.fromisoformat(ends), ends=shift.ends
        )
    engineer.shifts.filter(starts__lt=starts).update(ends=starts)
    return engineer


def pack(
    *,
    seller_job_id: str = "",
    job_type: JobType = JobType.INSTALLATION,
    window: tuple[str, str] = ("08:00", "13:00"),
    day: date = DAY,
    flags: tuple[str, ...] = (),
    located: bool = True,
    uprn: str = "100012345678",
    duration_minutes: int | None = None,
    previous_provider_job_id: str = "",
) -> JobPack:
    seller_job_id = seller_job_id or f"S-{uuid.uuid4().hex[:12]}"
    return JobPack(
        seller_job_id=seller_job_id,
        content_sha256=f"{seller_job_id}:{window}:{flags}",
        job_type=job_type,
        buyer_order_reference="B-1001",
        seller_order_reference=f"O-{seller_job_id[-8:]}",
        product_name="Residential FTTH 1 Gbps",
        premises=Premises(
            uprn=uprn,
            address=SiteAddress(("12 Chapel Row",), "Leeds", "LS6 3AB"),
            latitude=53.81 if located else None,
            longitude=-1.56 if located else None,
            classification="Residential",
            flags=flags,
        ),
        contact=SiteContact("Pat Tester", "07700 900456", "pat@example.com"),
        advice=SiteAdvice(hazards="Dog in the garden", preferred_ont_location="Hall cupboard"),
        ont=ExpectedOnt("Calix", "801G", "CXNK00ABCDEF", "261200123456"),
        window_start=at(window[0], day=day),
        window_end=at(window[1], day=day),
        reservation_key="RK-1",
        duration_minutes=duration_minutes,
        network={"olt": "LS-OLT-1"},
        previous_provider_job_id=previous_provider_job_id,
    )


def job(*, at_state: JobState = JobState.UNASSIGNED, to: Engineer | None = None, **fields: object) -> Job:
    """A job walked to a state by the real verbs; `given` goes to `pack`."""
    made = jobs.create_job(pack=pack(**fields)).job  # type: ignore[arg-type]
    return walk(made, at_state=at_state, to=to)


def walk(made: Job, *, at_state: JobState, to: Engineer | None = None) -> Job:
    if at_state == JobState.CLOSED:
        close_without_visit(made)
    if at_state == JobState.CANCELLED:
        jobs.cancel_job(job=made, reason="Customer changed their mind")
    if at_state in {JobState.ASSIGNED, JobState.EN_ROUTE, JobState.ON_SITE}:
        to = to or engineer()
        visits.assign(job=made, engineer=to, starts_at=made.window_start, by=office())
        if at_state != JobState.ASSIGNED:
            start_travel(made, engineer=to)
        if at_state == JobState.ON_SITE:
            arrive(made, engineer=to)
    made.refresh_from_db()
    return made


def agreed_job(clock: str = "15:00") -> Job:
    """Planned after its window 08:00–13:00, with the customer's agreement; asked at noon of the test day."""
    made, noon = job(duration_minutes=60), at("12:00")
    with time_machine.travel(noon):
        visits.assign(
            job=made,
            engineer=engineer(),
            starts_at=at(clock),
            by=office(),
            not_before=noon,
            override_reason="The customer agreed by telephone",
        )
    made.refresh_from_db()
    return made


def act(verb: Callable[..., Result], *, job: Job, **arguments: object) -> Result:
    """Calls a verb that takes a locked job, in a transaction of its own."""
    with transaction.atomic():
        return verb(job=job_events.lock_job(job), **arguments)


def start_travel(
    job: Job,
    *,
    engineer: Engineer | None = None,
    occurred_at: datetime | None = None,
    position: Position = HERE,
) -> JobEvent:
    """The engineer of the visit, or the one named, sets off: now, or at the time given."""
    return _report(visits.start_travel, job, engineer, occurred_at, position)


def arrive(
    job: Job,
    *,
    engineer: Engineer | None = None,
    occurred_at: datetime | None = None,
    position: Position = HERE,
    matrix_edition: str = "",
) -> JobEvent:
    """The engineer is on site; the rest as for `start_travel`."""
    return _report(visits.arrive, job, engineer, occurred_at, position, matrix_edition=matrix_edition)


def _report(
    verb: Callable[..., JobEvent],
    job: Job,
    engineer: Engineer | None,
    occurred_at: datetime | None,
    position: Position,
    **arguments: object,
) -> JobEvent:
    engineer = engineer or job.visits.active().get().engineer
    return act(
        verb,
        job=job,
        engineer=engineer,
        by=Performer(Actor.ENGINEER, engineer.user),
        occurred_at=occurred_at or now(),
        position=position,
        **arguments,
    )


def pin_edition(job: Job, edition: str) -> None:
    job.matrix_edition = edition
    job.save(update_fields=["matrix_edition"])


def close_without_visit(
    job: Job, code: str = "NTR", *, remarks: str = "Solved by telephone", closed_at: datetime | None = None
) -> Closure:
    """The shortest way to a closed job: a dispatcher says that no visit was needed."""
    outcome = Outcome(code=code, remarks=remarks)
    closed_at = closed_at or now()
    return act(closing.close_job, job=job, outcome=outcome, by=office(), closed_at=closed_at, engineer=None)


def close(
    job: Job,
    code: str = "SP",
    *,
    engineer: Engineer | None = None,
    secondary_code: str = "",
    remarks: str = "",
) -> Closure:
    """The engineer of the visit, or the one named, closes the job."""
    engineer = engineer or job.visits.active().get().engineer
    return act(
        closing.close_job,
        job=job,
        outcome=Outcome(code=code, secondary_code=secondary_code, remarks=remarks),
        by=Performer(Actor.ENGINEER, engineer.user),
        closed_at=now(),
        engineer=engineer,
    )


def answer_all(job: Job, *, code: str = "SP") -> None:
    """Every question that the closure asks for, photos stored; the job must be on site."""
    for _ in range(100):
        found = closing.closing_context(job=job, outcome=Outcome(code=code))
        open_questions = [
            question
            for question in closing_context.closure_questions(found)
            if question.code not in found.answers
        ]
        if not open_questions:
            return
        for question in open_questions:
            answer(job, question)


def answer(job: Job, question: Question) -> Answer:
    """A good answer to one question, with a photo where it asks for one."""
    value: object = {"yes_no": "yes", "text": "As agreed", "number": question.minimum}.get(question.kind)
    if question.kind == "choice":
        value = question.choices[0].code
    if question.kind == "number" and question.expected:
        value = -18.5
    if question.is_picture:
        value = [str(photo(job, question_code=question.code).pk)]
    return record_answer(job, question.code, value)


def record_answer(
    job: Job,
    question_code: str,
    value: object,
    *,
    by: Engineer | None = None,
    answered_at: datetime | None = None,
) -> Answer:
    return act(
        answers.record_answer,
        job=job,
        question_code=question_code,
        value=value,
        answered_at=answered_at or now(),
        by=by,
    )


def jpeg(*, width: int = 64, height: int = 48, colour: str = "seagreen") -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(content, "JPEG")
    return content.getvalue()


def new_jpeg(*, width: int = 64, height: int = 48) -> bytes:
    """Another picture than that of any other call, also when it is encoded again."""
    number, picture = next(_pictures), Image.new("L", (8, 6))
    picture.putdata([255 * (number >> bit & 1) for bit in range(48)])
    content = io.BytesIO()
    picture.resize((width, height), Image.Resampling.NEAREST).convert("RGB").save(content, "JPEG")
    return content.getvalue()


def photo(job: Job, *, question_code: str, raw: bytes = b"", original_sha256: str = "") -> Photo:
    """A photo that was announced and stored; another picture than any other unless `raw` says which.
    `original_sha256`: of the picture that it was drawn on."""
    photo_id = uuid.uuid4()
    picture = _clean(raw) if raw else _another(_clean(jpeg()), photo_id.bytes)
    capture = Capture(
        photo_id=photo_id,
        question_code=question_code,
        taken_at=now(),
        sha256=picture.sha256,
        source="camera",
        position=HERE,
        original_sha256=original_sha256,
    )
    expected = act(evidence.announce_photo, job=job, capture=capture, by=None)
    return evidence.store_picture(photo=expected, picture=picture)


@cache
def _clean(raw: bytes) -> image_validation.Picture:
    """Hundreds of tests store the same picture, and each look at one takes a process of its own."""
    return image_validation.clean(raw)


def _another(picture: image_validation.Picture, mark: bytes) -> image_validation.Picture:
    """The same to look at, with other bytes: a comment in the JPEG."""
    comment = b"\xff\xfe" + (len(mark) + 2).to_bytes(2) + mark
    content = picture.content[:2] + comment + picture.content[2:]
    sha256 = hashlib.sha256(content).hexdigest()
    return replace(picture, content=content, sha256=sha256, stored_sha256=sha256)


def office() -> Performer:
    user = User.objects.filter(role=Role.DISPATCHER).first() or dispatcher()
    return Performer(Actor.DISPATCHER, user)


def scan(
    job: Job,
    *,
    fsan: str = "CXNK00ABCDEF",
    serial_number: str = "261200123456",
    duplicate_confirmed: bool = False,
) -> OntScan:
    """The ONT of a job on site, read by its own engineer."""
    visit = job.visits.active().get()
    return act(
        visits.record_ont_scan,
        job=job,
        engineer=visit.engineer,
        by=Performer(Actor.ENGINEER, visit.engineer.user),
        scan_id=uuid.uuid4(),
        fsan=fsan,
        serial_number=serial_number,
        source=ScanSource.TYPED,
        occurred_at=now(),
        duplicate_confirmed=duplicate_confirmed,
    )


def result(job: Job, result_id: int) -> object:
    """The seller's answer to the newest scan."""
    answer = jobs.ProvisioningAnswer(result_id=result_id, success=result_id in {1, 2}, details="")
    return jobs.record_provisioning(job=job, answer=answer, occurred_at=now())


def now() -> datetime:
    return datetime.now(UTC)


def today() -> date:
    """Asked for in a test, not kept in a file's constant: a run may go on past midnight."""
    return timezone.localdate()


def minutes(number: int) -> timedelta:
    return timedelta(minutes=number)
