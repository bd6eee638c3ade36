"""Faults of the network that several visits meet: closures, failed provisioning and light out of range on one node,
splitter or street raise one alarm, and the office may hold what lies ahead there."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from closures import answer_validation, codes
from closures.models import Answer, Closure
from closures.question_matrix.matrix_editions import matrix_for_job
from dispatch.holds import HOLDABLE
from dispatch.models import Job, ProvisioningResult
from dispatch.ont_scans import FAILED_RESULTS, deciding_result
from dispatch.states import OPEN_STATES, JobState
from engineers.areas import INWARD_CHARACTERS
from monitoring import alarms
from monitoring.coded_texts import CodedText, coded_text
from monitoring.models import AlarmKind

# the codes without the prefix of their family
NETWORK_CODES = frozenset({"CON", "POP"})
STREET_NUMBER = re.compile(r"^\s*\d+\s*[A-Za-z]?[\s,]+")


class ElementKind(models.TextChoices):
    """From the narrowest to the widest."""

    SPLITTER = "splitter", _("Splitter")
    NODE = "node", _("Node")
    STREET = "street", _("Street")


@dataclass(frozen=True)
class NetworkElement:
    """`name` as people read it, `subject` the same for every spelling."""

    kind: ElementKind
    name: str

    @property
    def subject(self) -> str:
        return f"{self.kind}:{self.name.casefold()}"[:300]


@dataclass(frozen=True)
class NetworkPattern:
    """Jobs that met a fault on one element, in the order in which they did, and when the first did."""

    element: NetworkElement
    failed: list[Job]
    since: datetime


def list_elements(job: Job) -> list[NetworkElement]:
    """Of what the seller and the address say of a job; its values may be of any kind."""
    network = job.network if isinstance(job.network, dict) else {}
    named = [
        NetworkElement(kind, str(network[kind.value]).strip())
        for kind in (ElementKind.SPLITTER, ElementKind.NODE)
        if isinstance(network.get(kind.value), str | int) and str(network[kind.value]).strip()
    ]
    street = _street(job)
    return [*named, NetworkElement(ElementKind.STREET, street)] if street else named


def _street(job: Job) -> str:
    """`Chapel Row, LS6`; empty where the address has none."""
    lines = job.address_lines if isinstance(job.address_lines, list) else []
    street = STREET_NUMBER.sub("", str(lines[-1])).strip() if lines else ""
    outward = job.postcode_key[:-INWARD_CHARACTERS]
    return f"{street}, {outward}" if street and outward else ""


def find_patterns(*, now: datetime) -> list[NetworkPattern]:
    """The elements on which at least NETWORK_PATTERN_JOBS jobs met a fault within NETWORK_PATTERN_MINUTES; five
    queries. Of elements with the same jobs the narrowest, and none whose jobs all lie on a wider one."""
    since = now - timedelta(minutes=settings.NETWORK_PATTERN_MINUTES)
    found: dict[str, tuple[NetworkElement, dict[int, tuple[datetime, Job]]]] = {}
    for moment, job in sorted(_faults(since), key=lambda fault: fault[0]):
        for element in list_elements(job):
            found.setdefault(element.subject, (element, {}))[1].setdefault(job.pk, (moment, job))
    patterns = [
        NetworkPattern(element, [job for _at, job in jobs.values()], min(at for at, _job in jobs.values()))
        for element, jobs in found.values()
        if len(jobs) >= settings.NETWORK_PATTERN_JOBS
    ]
    return [pattern for pattern in patterns if not any(_explains(other, pattern) for other in patterns)]


def _explains(other: NetworkPattern, pattern: NetworkPattern) -> bool:
    own, others = _keys(pattern), _keys(other)
    order = list(ElementKind)
    is_narrower = order.index(other.element.kind) < order.index(pattern.element.kind)
    return own < others or (own == others and is_narrower)


def _keys(pattern: NetworkPattern) -> frozenset[int]:
    return frozenset(job.pk for job in pattern.failed)


def _faults(since: datetime) -> Iterator[tuple[datetime, Job]]:
    network_codes = [code.code for code in codes.list_codes().values() if _is_network(code.code, code.family)]
    closed = Closure.objects.filter(closed_at__gte=since, code__in=network_codes).select_related("job")
    yield from ((closure.closed_at, closure.job) for closure in closed)
    results = ProvisioningResult.objects.filter(recorded_at__gte=since, result_id__in=FAILED_RESULTS)
    for result in results.select_related("job").prefetch_related("job__scans", "job__results"):
        # what another ONT or a further attempt has mended is no fault of the network
        if deciding_result(result.job) == result:
            yield result.recorded_at, result.job
    # a level that was measured and not closed yet
    measured = Answer.objects.active().filter(
        kind="number", answered_at__gte=since, job__state=JobState.ON_SITE
    )
    for answer in measured.select_related("job"):
        if _is_out_of_range(answer):
            yield answer.answered_at, answer.job


def _is_network(code: str, family: str) -> bool:
    return code.removeprefix(family) in NETWORK_CODES


def _is_out_of_range(answer: Answer) -> bool:
    question = matrix_for_job(answer.job).find(answer.question_code)
    if question is None or not question.expected:
        return False
    network_type = str(answer.job.network.get("type", ""))
    return answer_validation.warning_for(question, answer.value, network_type=network_type) is not None


def list_jobs_ahead(subjects: Iterable[str], *, now: datetime) -> dict[str, list[Job]]:
    """By the subject of an element: its jobs at which nobody is yet and whose window is not over, the next first; one
    query."""
    found: dict[str, list[Job]] = {subject: [] for subject in subjects}
    for job in Job.objects.filter(state__in=HOLDABLE, window_end__gt=now).order_by("window_start", "pk"):
        for element in list_elements(job):
            if element.subject in found:
                found[element.subject].append(job)
    return found


def watch_patterns() -> None:
    """One alarm for each pattern, until it is over and nothing is held for it any more."""
    known = alarms.known_alarms(AlarmKind.NETWORK_PATTERN)
    now = timezone.now()
    patterns = {pattern.element.subject: pattern for pattern in find_patterns(now=now)}
    held = _held_by_element()
    ahead = list_jobs_ahead(patterns, now=now) if patterns else {}
    texts = {subject: _hold_text(subject, jobs) for subject, jobs in held.items()}
    texts |= {
        subject: _pattern_text(pattern, ahead[subject], held.get(subject, []))
        for subject, pattern in patterns.items()
    }
    alarms.replace_alarms(AlarmKind.NETWORK_PATTERN, texts, known=known[AlarmKind.NETWORK_PATTERN])


def _held_by_element() -> dict[str, list[Job]]:
    found: dict[str, list[Job]] = {}
    for job in Job.objects.filter(on_hold_since__isnull=False, state__in=OPEN_STATES).exclude(on_hold_for=""):
        found.setdefault(job.on_hold_for, []).append(job)
    return found


def _pattern_text(pattern: NetworkPattern, ahead: list[Job], held: list[Job]) -> CodedText:
    """Without the jobs' numbers: they lie in several areas, and the text is also the reason of a hold. The alarm's page
    lists the jobs."""
    return coded_text(
        f"network_pattern_{pattern.element.kind}",
        element=pattern.element.name,
        jobs=len(pattern.failed),
        since_at=pattern.since,
        ahead=len(ahead),
        held=len(held),
    )


def _hold_text(subject: str, held: list[Job]) -> CodedText:
    elements = (element for job in held for element in list_elements(job))
    # what the seller says of the jobs may have changed since they were held
    spelled = next((each.name for each in elements if each.subject == subject), subject.partition(":")[2])
    return coded_text("network_hold", element=spelled, jobs=len(held))
