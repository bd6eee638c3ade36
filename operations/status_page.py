"""What the status page shows: each part of the installation with its state, from what is stored. Nobody is called."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from board.formatting import format_day, format_moment
from board.people.engineer_list import last_seen
from engineers.models import Engineer, LastSync
from engineers.shifts import local_time
from engineers.sign_in.devices import list_devices
from monitoring import heartbeats
from monitoring.alarms import open_alarms
from monitoring.coded_texts import CodedText, reason_text
from monitoring.health_checks import BACKUPS, disk_complaints, disk_space, watched_folders
from monitoring.models import AlarmKind, Heartbeat
from monitoring.process_labels import process_label
from operations.backup_age import backup_complaint, newest_backup_at
from phone import sync_times
from seller_link import certificate_expiry
from seller_link.connection_check import check_queue
from seller_link.models import EndpointHealth

PHONE_SILENT = timedelta(hours=24)
# a number of days that nobody counts, as of the demo's authority
LONG_VALID = timedelta(days=3650)
# who has a hundred silent phones needs no longer list
MAX_PHONES = 50
GOOD, WARNING, ALARM = "good", "warning", "alarm"
FOLDERS = {
    "evidence": gettext_lazy("Photos"),
    "database": gettext_lazy("Database"),
    BACKUPS: gettext_lazy("Backups"),
}


@dataclass(frozen=True)
class StatusLine:
    """`tone` is one of GOOD, WARNING and ALARM; `url` leads to more about it."""

    name: str
    state: str
    tone: str
    details: str = ""
    url: str = ""


@dataclass(frozen=True)
class StatusSection:
    """`hint` is what stands there without lines."""

    key: str
    title: str
    lines: list[StatusLine]
    hint: str = ""


def status_sections(now: datetime) -> list[StatusSection]:
    """All parts, the link first."""
    return [
        StatusSection("seller", _("Link to the seller"), [*_endpoints(now), *_queue()]),
        StatusSection("phones", _("Phones"), _phones(now), _("There are no engineers yet.")),
        StatusSection("processes", _("Processes"), _processes()),
        StatusSection(
            "disk",
            _("Disk space"),
            _folders(),
            _("Photos and database are kept on other machines, which monitor their own space."),
        ),
        StatusSection("certificates", _("Certificates"), _certificates(now)),
        StatusSection(
            "backups",
            _("Backups"),
            _backups(),
            _("Backups are not monitored here. The system operator can set BACKUP_FOLDER."),
        ),
    ]


def _endpoints(now: datetime) -> list[StatusLine]:
    known = {row.endpoint: row for row in EndpointHealth.objects.all()}
    return [_endpoint(url, known.get(url), now) for url in settings.SELLER_ENDPOINTS]


def _endpoint(url: str, row: EndpointHealth | None, now: datetime) -> StatusLine:
    name = _("Calls to %(address)s") % {"address": url}
    if row is None:
        return StatusLine(name, _("Not used yet"), GOOD)
    details = ""
    if row.last_success_at:
        details = _("Last success: %(at)s") % {"at": format_moment(row.last_success_at)}
    if row.open_until is None:
        return StatusLine(name, _("Working"), GOOD, details)
    if row.open_until > now:
        state, tone = _("Failing, retried automatically"), ALARM
    else:
        state, tone = _("Failed before, being tried again"), WARNING
    return StatusLine(name, state, tone, " · ".join(filter(None, [details, reason_text(row.last_error)])))


def _queue() -> list[StatusLine]:
    """Waiting is usual; what is held needs somebody."""
    queue = check_queue()
    waiting = ngettext("%(number)d message waiting", "%(number)d messages waiting", queue.waiting)
    held = ngettext("%(number)d message held", "%(number)d messages held", queue.held)
    oldest = ""
    if queue.oldest_waiting_at:
        oldest = _("Oldest: %(at)s") % {"at": format_moment(queue.oldest_waiting_at)}
    rejected = _("Rejected by the seller. Open the list to see why, and to resend.") if queue.held else ""
    stuck = reverse("board:stuck")
    return [
        StatusLine(_("Messages to be sent"), waiting % {"number": queue.waiting}, GOOD, oldest),
        StatusLine(
            _("Rejected messages"),
            held % {"number": queue.held},
            ALARM if queue.held else GOOD,
            rejected,
            stuck,
        ),
    ]


def _phones(now: datetime) -> list[StatusLine]:
    """How many run which version, then those that were not in touch for long, longest first."""
    devices = list_devices()
    engineers = list(
        Engineer.objects.active().in_scope().select_related("user", "last_position", "last_sync")
    )
    # before a phone has said when it syncs: a phone that is used uses its session
    seen = [
        (_synced_at(engineer) or last_seen(engineer, devices.get(engineer.user_id, [])), engineer)
        for engineer in engineers
    ]
    silent = [(at, engineer) for at, engineer in seen if at is None or now - at > PHONE_SILENT]
    silent.sort(key=lambda found: (found[0] is not None, found[0] or now, found[1].name))
    return [*_versions(engineers), *(_phone(at, engineer) for at, engineer in silent[:MAX_PHONES])]


def _sync_of(engineer: Engineer) -> LastSync | None:
    return getattr(engineer, "last_sync", None)


def _synced_at(engineer: Engineer) -> datetime | None:
    sync = _sync_of(engineer)
    return sync.synced_at if sync else None


def _versions(engineers: list[Engineer]) -> list[StatusLine]:
    """The most common first."""
    syncs = [sync for engineer in engineers if (sync := _sync_of(engineer))]
    numbers = Counter((sync_times.release_name(sync), sync_times.is_current(sync)) for sync in syncs)
    return [
        _version(name, number, is_current=is_current) for (name, is_current), number in numbers.most_common()
    ]


def _version(name: str, number: int, *, is_current: bool) -> StatusLine:
    phones = ngettext("%(number)d phone", "%(number)d phones", number) % {"number": number}
    if name == sync_times.UNKNOWN:
        return StatusLine(_("Unknown version"), phones, WARNING, _("No version was reported."))
    title = _("Version %(version)s") % {"version": name}
    if is_current:
        return StatusLine(title, phones, GOOD, _("This is the current version."))
    details = _("Not the current version. It is replaced when the app is opened and everything is sent.")
    return StatusLine(title, phones, WARNING, details)


def _phone(seen_at: datetime | None, engineer: Engineer) -> StatusLine:
    url = reverse("board:engineer", args=[engineer.pk])
    sync = _sync_of(engineer)
    version = _("Version %(version)s") % {"version": sync_times.release_name(sync)} if sync else ""
    details = " · ".join(filter(None, [engineer.staff_number, version]))
    if seen_at is None:
        return StatusLine(engineer.name, _("Never seen"), WARNING, details, url)
    text = _("Last sync: %(at)s") if sync else _("Last seen: %(at)s")
    return StatusLine(engineer.name, text % {"at": format_moment(seen_at)}, WARNING, details, url)


def _processes() -> list[StatusLine]:
    """A process is stuck when the monitor of heartbeats says so: it knows the limit of each."""
    stuck = set(open_alarms().filter(kind=AlarmKind.PROCESS_STUCK).values_list("subject", flat=True))
    rows = list(Heartbeat.objects.order_by("process"))
    missing = heartbeats.missing_processes([row.process for row in rows])
    return [*(_process(row, stuck) for row in rows), *map(_missing_process, missing)]


def _process(row: Heartbeat, stuck: set[str]) -> StatusLine:
    beat_at = _("Last heartbeat: %(at)s") % {"at": format_moment(row.beat_at)}
    return StatusLine(
        process_label(row.process),
        _("No heartbeat") if row.process in stuck else _("Working"),
        ALARM if row.process in stuck else GOOD,
        f"{beat_at} · {row.process.strip()}",
    )


def _missing_process(name: str) -> StatusLine:
    return StatusLine(process_label(name), _("None is running"), ALARM, _("Tell the system operator."))


def _folders() -> list[StatusLine]:
    folders = watched_folders()
    return [_folder(name, disk_space(folders[name]), text) for name, text in disk_complaints().items()]


def _folder(name: str, space: tuple[int, int] | None, complaint: CodedText | None) -> StatusLine:
    state = _("%(size)s free") % {"size": filesizeformat(space[0])} if space else _("Can't be read")
    tone = ALARM if complaint or not space else GOOD
    return StatusLine(str(FOLDERS[name]), state, tone, str(complaint or ""))


def _certificates(now: datetime) -> list[StatusLine]:
    complaints = certificate_expiry.certificate_complaints()
    return [
        StatusLine(certificate_expiry.label_of(name), _days_left(end, now), _tone(complaints[name], end, now))
        for name, end in certificate_expiry.certificate_expiry_dates().items()
    ]


def _days_left(end: datetime | None, now: datetime) -> str:
    if end is None:
        return _("Can't be read")
    if end <= now:
        return _("Expired on %(at)s") % {"at": format_moment(end)}
    if end - now > LONG_VALID:
        return _("Valid until %(at)s") % {"at": format_day(local_time(end).date())}
    days = (end - now).days
    return ngettext("%(days)d day left", "%(days)d days left", days) % {"days": days}


def _tone(complaint: CodedText | None, end: datetime | None, now: datetime) -> str:
    if end is None or end <= now:
        return ALARM
    return WARNING if complaint else GOOD


def _backups() -> list[StatusLine]:
    if not settings.BACKUP_FOLDER:
        return []
    newest_at = newest_backup_at()
    complaint = backup_complaint()
    state = format_moment(newest_at) if newest_at else _("No complete backup")
    name = _("Newest complete backup")
    return [StatusLine(name, state, ALARM if complaint else GOOD, str(complaint or ""))]


@dataclass(frozen=True)
class StatusPage:
    sections: list[StatusSection]
    made_at: str


def status_page() -> StatusPage:
    now = timezone.now()
    return StatusPage(status_sections(now), format_moment(now))
