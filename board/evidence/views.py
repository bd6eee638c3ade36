"""Evidence packs: ask for one, see how far it is, download it."""

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from board.base_context import render_page
from board.evidence import tasks
from board.jobs.actions import job_or_404
from closures import evidence_packs
from closures.models import EvidencePack, PackKind
from closures.question_matrix.translations import readers_language
from engineers.area_scope import postcode_filter
from engineers.audit import record_audit
from engineers.models import Right
from engineers.permissions import for_right, user_of
from engineers.throttling import RateLimit, rate_limited
from monitoring import task_queue

CONTENT_TYPES = {PackKind.ZIP: "application/zip", PackKind.PDF: "application/pdf"}


@dataclass(frozen=True)
class PackPage:
    """`state` is one of waiting, overdue, failed, made."""

    pack_id: UUID
    job_id: str
    kind: str
    kind_label: str
    state: str
    sha256: str
    size_bytes: int

    @property
    def is_over(self) -> bool:
        return self.state in {"failed", "made"}


@for_right(Right.TAKE_EVIDENCE)
@rate_limited(RateLimit("evidence_pack", 20))
@require_POST
def request_pack(request: HttpRequest, job_id: str) -> HttpResponse:
    """Field `kind`: zip or pdf."""
    job, kind = job_or_404(job_id), request.POST.get("kind", "")
    if kind not in PackKind.values:
        raise Http404
    pack = evidence_packs.request_pack(job=job, kind=PackKind(kind), by=user_of(request))
    if not task_queue.enqueue(tasks.make_pack, str(pack.pk), readers_language()):
        evidence_packs.record_failure(pack)
    return redirect("board:evidence-pack", pack.pk)


@for_right(Right.TAKE_EVIDENCE)
def pack(request: HttpRequest, pack_id: UUID) -> HttpResponse:
    """How far it is; a script downloads it as soon as it is made."""
    return render_page(request, "board/evidence/pack.html", _page(_pack_or_404(pack_id)))


@for_right(Right.TAKE_EVIDENCE)
@rate_limited(RateLimit("evidence_pack", 20))
def download_pack(request: HttpRequest, pack_id: UUID) -> FileResponse:
    """The file, streamed; who took it is recorded."""
    found = _pack_or_404(pack_id)
    if found.made_at is None:
        raise Http404
    try:
        content = evidence_packs.open_pack(found)
    except FileNotFoundError as problem:
        raise Http404 from problem
    _record_download(request, found)
    name = f"evidence-{found.job.provider_job_id}.{found.kind}"
    response = FileResponse(
        content, as_attachment=True, filename=name, content_type=CONTENT_TYPES[PackKind(found.kind)]
    )
    response.headers["Cache-Control"] = "private, no-store"
    return response


@transaction.atomic
def _record_download(request: HttpRequest, found: EvidencePack) -> None:
    after = {"sha256": found.sha256, "bytes": found.size_bytes}
    record_audit(actor=user_of(request), action="evidence_taken", subject=str(found), after=after)


def _pack_or_404(pack_id: UUID) -> EvidencePack:
    return get_object_or_404(
        EvidencePack.objects.filter(postcode_filter("job__")).select_related("job"), pk=pack_id
    )


def _page(found: EvidencePack) -> PackPage:
    return PackPage(
        pack_id=found.pk,
        job_id=found.job.provider_job_id,
        kind=found.kind,
        kind_label=str(PackKind(found.kind).label),
        state=_state(found),
        sha256=found.sha256,
        size_bytes=found.size_bytes or 0,
    )


def _state(found: EvidencePack) -> str:
    if found.made_at:
        return "made"
    if found.failed_at:
        return "failed"
    return "overdue" if evidence_packs.is_overdue(found, now=timezone.now()) else "waiting"
