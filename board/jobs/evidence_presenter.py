"""The evidence of one job for its page: scans with results, photos, the outcome."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils.translation import gettext as _

from board import formatting
from board.event_descriptions import distance_text, position_text, result_text
from board.jobs.answer_presenter import name_of
from board.links import Link, engineer_links
from closures.answers import photos_in_no_answer
from closures.models import Closure, Photo
from closures.photos import evidence, photo_similarity
from closures.photos.photo_similarity import ReusedPhoto
from closures.question_matrix.matrix_editions import matrices_by_edition, matrix_for_job
from closures.question_matrix.translations import question_text, readers_language, text_for_reader
from dispatch import ont_scans
from dispatch.driving import travel
from dispatch.models import Job, OntScan, ProvisioningResult
from engineers.area_scope import is_in_scope
from engineers.former_accounts import name_for_reader


@dataclass(frozen=True)
class ResultLine:
    """`tone` is good, warning or alarm."""

    text: str
    at: str
    tone: str


@dataclass(frozen=True)
class ScanLine:
    """One scan with its results, the newest first; `is_newest` marks the scan that counts."""

    fsan: str
    serial_number: str
    how: str
    at: str
    results: list[ResultLine]
    is_newest: bool


@dataclass(frozen=True)
class PhotoLine:
    """Both addresses are empty while the phone has announced the photo and it has not arrived. `is_answered` is false
    for a photo that no answer has any more: refused, deleted or replaced on the phone."""

    photo_id: str
    anchor: str
    question_code: str
    question: str
    url: str
    small_url: str
    at: str
    fingerprint: str
    hashes: list[tuple[str, str]]
    source: str
    doubts: str
    remarks: list[str]
    by: str
    position: str
    distance: str
    is_far: bool
    missing: str
    is_answered: bool


@dataclass(frozen=True)
class ClosureLine:
    code: str
    description: str
    secondary: str
    remarks: str
    by: str
    links: tuple[Link, ...]
    at: str
    recorded: str


def scan_lines(job: Job) -> list[ScanLine]:
    """The newest first; two queries."""
    scans = sorted(job.scans.prefetch_related("results"), key=ont_scans.scan_order, reverse=True)
    return [_scan_line(scan, is_newest=index == 0) for index, scan in enumerate(scans)]


def _scan_line(scan: OntScan, *, is_newest: bool) -> ScanLine:
    results = sorted(
        scan.results.all(),
        key=lambda result: tuple(getattr(result, name) for name in ont_scans.RESULT_ORDER),
        reverse=True,
    )
    return ScanLine(
        fsan=scan.fsan,
        serial_number=scan.serial_number,
        how=scan.get_source_display(),
        at=formatting.format_exact_moment(scan.scanned_at),
        results=[_result_line(result) for result in results],
        is_newest=is_newest,
    )


def _result_line(result: ProvisioningResult) -> ResultLine:
    tone = "alarm" if result.result_id in ont_scans.FAILED_RESULTS else "warning"
    return ResultLine(
        text=result_text(result.result_id, details=result.details),
        at=formatting.format_exact_moment(result.occurred_at),
        tone="good" if ont_scans.is_successful(result.result_id) else tone,
    )


def photo_lines(job: Job, photos: list[Photo]) -> list[PhotoLine]:
    """No query: `photos` come with their engineers, the job with its answers."""
    titles = question_titles(job)
    left_over = photos_in_no_answer(photos, job.answers.all())
    lines = [_photo_line(photo, job, titles, is_answered=photo.pk not in left_over) for photo in photos]
    return _with_same_files(lines)


def _with_same_files(lines: list[PhotoLine]) -> list[PhotoLine]:
    """One picture proves one answer only: a remark where another question was answered with the same file."""
    questions: dict[str, set[str]] = {}
    for line in lines:
        if line.fingerprint and line.is_answered:
            questions.setdefault(line.fingerprint, set()).add(line.question)
    return [
        replace(line, remarks=[*line.remarks, *_same_file(questions.get(line.fingerprint, set()), line)])
        for line in lines
    ]


def _same_file(questions: set[str], line: PhotoLine) -> list[str]:
    others = sorted(questions - {line.question}) if line.is_answered else []
    return [_("The same file as: %(question)s") % {"question": ", ".join(others)}] if others else []


def question_titles(job: Job) -> dict[str, str]:
    """By code, what a photo is to show; the label's photo of a scan is of no question. A question that vanished
    from the job's edition keeps the text of another."""
    editions = [*matrices_by_edition().values(), matrix_for_job(job)]
    language = readers_language()
    titles = {
        question.code: question_text(question, language)
        for matrix in editions
        for question in matrix.questions
    }
    return {evidence.ONT_LABEL: _("ONT label"), **titles}


def _photo_line(photo: Photo, job: Job, titles: Mapping[str, str], *, is_answered: bool = True) -> PhotoLine:
    token = evidence.sign(photo) if photo.is_available else ""
    facts = {name: getattr(photo, name) for name in ("latitude", "longitude", "accuracy_metres")}
    return PhotoLine(
        photo_id=str(photo.pk),
        anchor=f"photo-{photo.pk}",
        question_code=photo.question_code,
        question=titles.get(photo.question_code, photo.question_code),
        url=reverse("evidence", args=[token]) if token else "",
        small_url=reverse("evidence-small", args=[token]) if token else "",
        at=formatting.format_exact_moment(photo.taken_at),
        fingerprint=(photo.stored_sha256 or photo.sha256)[:12],
        hashes=photo_hashes(photo),
        source=photo.get_source_display(),
        doubts=photo_warnings(photo),
        remarks=[*photo_notes(photo), *([] if is_answered else [_("In no answer")])],
        by=name_of(photo.by),
        position=position_text(facts) or _("No position"),
        distance=distance_text(facts, premises=travel.job_coordinates(job)),
        is_far=is_far(job, photo.latitude, photo.longitude, photo.accuracy_metres),
        missing=_missing(photo, is_answered=is_answered),
        is_answered=is_answered,
    )


def _missing(photo: Photo, *, is_answered: bool) -> str:
    if photo.is_available:
        return ""
    if photo.purged_at:
        return _("Deleted by retention")
    # refused or deleted on the phone: nobody waits for it
    return _("Still on the phone") if is_answered else _("Not sent")


def is_far(job: Job, latitude: float | None, longitude: float | None, accuracy_metres: float | None) -> bool:
    """Whether a position is certainly not at the premises; False while one of both is not known."""
    premises = travel.job_coordinates(job)
    if premises is None or latitude is None or longitude is None:
        return False
    metres = travel.distance_metres((latitude, longitude), premises)
    return travel.is_far(metres, accuracy_metres=accuracy_metres)


def photo_hashes(photo: Photo) -> list[tuple[str, str]]:
    """SHA-256 of each version of the picture that was ever known, with what it is of."""
    hashes = [
        (_("Stored file"), photo.stored_sha256),
        (_("As sent by the phone"), photo.sha256),
        (_("Before annotation"), photo.original_sha256),
    ]
    return [(name, value) for name, value in hashes if value]


def photo_warnings(photo: Photo) -> str:
    """What the phone warned of; the engineer used it all the same. Empty for a good one."""
    texts = {"blur": _("Blurry"), "dark": _("Very dark"), "unreadable": _("Label may be unreadable")}
    found = [text for name, text in texts.items() if photo.checks.get(name)]
    if found and photo.checks.get("used_anyway"):
        found.append(_("kept anyway"))
    return ", ".join(found)


def photo_notes(photo: Photo) -> list[str]:
    """Drawn on, and by whom it was signed."""
    found = []
    if photo.original_sha256:
        original = {"fingerprint": photo.original_sha256[:12]}
        found.append(_("Annotated. Original: %(fingerprint)s") % original)
    if photo.signer:
        found.append(_("Signed by %(name)s") % {"name": photo.signer})
    return found


@dataclass(frozen=True)
class ReusedLine:
    """Two photos side by side; `how` says whether it is the same file or looks almost the same. `other` is None where
    the other job lies outside the reader's areas: that there is one is all that the reader learns."""

    photo: PhotoLine
    other: PhotoLine | None
    other_job_id: str
    how: str


def reused_lines(job: Job, photos: list[Photo]) -> list[ReusedLine]:
    """Photos of the job that another job has too; four queries at most."""
    titles = question_titles(job)
    return [_reused_line(pair, job, titles) for pair in photo_similarity.find_reused(job, photos)]


def _reused_line(pair: ReusedPhoto, job: Job, titles: Mapping[str, str]) -> ReusedLine:
    other_job = pair.other.job
    is_visible = is_in_scope(other_job.postcode)
    return ReusedLine(
        photo=_photo_line(pair.photo, job, titles),
        other=_photo_line(pair.other, other_job, titles) if is_visible else None,
        other_job_id=other_job.provider_job_id if is_visible else "",
        how=_("The same file") if pair.is_same_file else _("Almost the same picture"),
    )


def closure_line(closure: Closure) -> ClosureLine:
    secondary = f"{closure.secondary_code} {text_for_reader(closure.secondary_description)}".strip()
    return ClosureLine(
        code=closure.code,
        description=text_for_reader(closure.description),
        secondary=secondary,
        remarks=closure.remarks,
        by=name_for_reader(closure.by_name),
        # an office that closes without a visit has no page
        links=engineer_links(closure.by_name if closure.engineer_id else ""),
        at=formatting.format_exact_moment(closure.closed_at),
        recorded=formatting.format_exact_moment(closure.recorded_at),
    )
