"""The sentence of each alarm by its key: what is wrong, and what to do about it."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, ngettext_lazy

ALARM_TEXTS: dict[str, Promise] = {
    "seller_untrusted": gettext_lazy(
        "No messages are sent to %(endpoint)s: %(reason)s. Check SELLER_CA and our client certificate."
    ),
    "seller_unreachable": gettext_lazy(
        "The seller can't be reached (%(reason)s). Messages are queued in order and retried automatically."
    ),
    "seller_rate_limit": gettext_lazy(
        "The seller can be reached, but has accepted no message for ten minutes and asks us to wait (%(reason)s)."
    ),
    "message_held": gettext_lazy(
        "%(address)s, job %(job)s: the seller's answer was “%(reason)s”. Later messages for this job are waiting. "
        "Other jobs are not affected."
    ),
    "message_unconfirmed": gettext_lazy(
        "%(address)s, job %(job)s: the seller doesn't confirm the message (%(reason)s). It is sent again "
        "and again; later messages for this job are waiting."
    ),
    "message_not_sent": gettext_lazy(
        "%(address)s, job %(job)s: an error in our system prevents the message from being sent. It is tried again and "
        "again; later messages for this job are waiting. Tell the system operator."
    ),
    "messages_held": ngettext_lazy(
        "%(jobs)d job: the seller's answer was “%(failure)s”. Its later messages are waiting. Other jobs are not "
        "affected.",
        "%(jobs)d jobs: the seller's answer was “%(failure)s”. Their later messages are waiting. Other jobs are not "
        "affected.",
        "jobs",
    ),
    "messages_unconfirmed": ngettext_lazy(
        "%(jobs)d job: the seller doesn't confirm a message (%(failure)s). It is sent again and again, and later "
        "messages of the job are waiting.",
        "%(jobs)d jobs: the seller doesn't confirm messages (%(failure)s). They are sent again and again, and later "
        "messages of these jobs are waiting.",
        "jobs",
    ),
    "messages_not_sent": ngettext_lazy(
        "%(jobs)d job: an error in our system prevents a message from being sent. It is tried again and again. Tell "
        "the system operator.",
        "%(jobs)d jobs: an error in our system prevents messages from being sent. They are tried again and again. Tell "
        "the system operator.",
        "jobs",
    ),
    "message_id_reused": gettext_lazy(
        "The seller used message ID %(id)s for two different messages. The first was applied, the second was rejected; "
        "both are in the message log. Ask the seller to send the second one again with a new ID."
    ),
    "certificate_unreadable": gettext_lazy(
        "%(certificate)s (%(setting)s) can't be read. Replace it with a readable PEM file."
    ),
    "certificate_expired": gettext_lazy(
        "%(certificate)s (%(setting)s) expired on %(end_at)s. Messages to or from the seller fail until it is replaced."
    ),
    "certificate_expiring": ngettext_lazy(
        "%(certificate)s (%(setting)s) expires on %(end_at)s, within %(days)d day. Replace it; no restart is needed.",
        "%(certificate)s (%(setting)s) expires on %(end_at)s, within %(days)d days. Replace it; no restart is needed.",
        "days",
    ),
    "public_certificate_expired": gettext_lazy(
        "%(certificate)s (%(setting)s) expired on %(end_at)s. Browsers and phones refuse the pages, and the seller "
        "can't fetch photos. Replace it and reload nginx."
    ),
    "public_certificate_expiring": ngettext_lazy(
        "%(certificate)s (%(setting)s) expires on %(end_at)s, within %(days)d day. Replace it and reload nginx.",
        "%(certificate)s (%(setting)s) expires on %(end_at)s, within %(days)d days. Replace it and reload nginx.",
        "days",
    ),
    "seller_certificate_expired": gettext_lazy(
        "The seller's certificate at %(url)s has expired. Nothing is sent there until the seller installs a new one: "
        "ask the seller's team."
    ),
    "seller_certificate_expiring": ngettext_lazy(
        "The seller's certificate at %(url)s expires on %(end_at)s, within %(days)d day. Ask the seller's team to "
        "renew it.",
        "The seller's certificate at %(url)s expires on %(end_at)s, within %(days)d days. Ask the seller's team to "
        "renew it.",
        "days",
    ),
    "clock_differs": gettext_lazy(
        "The seller's clock at %(url)s differs from ours by %(difference_seconds)d s. Check the time service of this "
        "machine first, then ask the seller's team."
    ),
    "process_stuck": gettext_lazy(
        "No heartbeat from %(process)s since %(since_at)s. Nothing is lost: its work waits or other processes do it. "
        "If it is still running, stop it and start it again; its log shows what it did last."
    ),
    "process_missing": gettext_lazy(
        "No process “%(process_kind)s” is running. Its log shows why it does not start. Correct that, then start it "
        "again. Nothing is lost: its work waits."
    ),
    "worker_not_starting": gettext_lazy(
        "The background worker keeps failing to start. See its log. Photos wait for their thumbnails."
    ),
    "disk_full": gettext_lazy(
        "%(problem)s. When the disk is full, nothing new is stored: jobs, photos and messages are answered "
        "“try again” and come back later. Free up space or enlarge the disk."
    ),
    "backup_disk_full": gettext_lazy(
        "%(problem)s where backups are stored. When that disk is full, no backup can be made. Free up space or enlarge "
        "the disk."
    ),
    "disk_away": gettext_lazy(
        "%(folder)s does not answer. What is kept there can be neither read nor written. Mount it again."
    ),
    "webhook_failing": gettext_lazy(
        "%(name)s can't be notified of jobs: %(reason)s. Deliveries wait in their order and are retried automatically."
    ),
    "backup_overdue": gettext_lazy(
        "The newest complete backup in %(folder)s is of %(newest_at)s. Read the log of the backup, and make one now."
    ),
    "backup_missing": gettext_lazy(
        "There is no complete backup in %(folder)s, or the folder can't be read. Read the log of the backup, and make "
        "one now."
    ),
    "backup_in_future": gettext_lazy(
        "The backup %(path)s is dated in the future and does not count. Check the clock of this machine. If it is "
        "right, make a backup now, then delete that one."
    ),
    "backup_not_deleted": gettext_lazy(
        "Old backups were not deleted, and hold personal data for longer than they may: %(reason)s"
    ),
    "backup_incomplete": gettext_lazy(
        "The newest backup (%(path)s) is incomplete. Photos that are missing or damaged: %(photos)d. Its manifest.json "
        "names them. Look for them in the evidence storage, then make another backup."
    ),
    "evidence_unavailable": gettext_lazy(
        "Photos can't be stored (%(error)s). The phones keep them and send them again. Check the bucket or disk where "
        "evidence is stored."
    ),
    "travel_server_unreachable": gettext_lazy(
        "The travel server %(url)s does not answer as it should (%(reason)s). Travel times are estimated until it does."
    ),
    "provisioning_overdue": gettext_lazy(
        "Job %(job)s, %(postcode)s: the seller announced another provisioning attempt for %(due_at)s but sent no "
        "result. The engineer is waiting. Call the order desk."
    ),
    "cancelled_en_route": gettext_lazy(
        "The seller cancelled job %(job)s, %(address)s, while %(engineer)s was on the way. Call %(phone)s."
    ),
    "started_on_hold": gettext_lazy(
        "%(engineer)s has started job %(job)s, %(address)s, although it is on hold. Call %(phone)s."
    ),
    "provisioning_failed": gettext_lazy(
        "Provisioning result %(result)s at %(address)s, job %(job)s: %(details)s"
    ),
    "handover_requested": gettext_lazy(
        "%(engineer)s asks the office to reassign job %(job)s, %(address)s: %(reason)s"
    ),
    "engineer_absent": ngettext_lazy(
        "%(engineer)s is absent and still has %(jobs)d job today.",
        "%(engineer)s is absent and still has %(jobs)d jobs today.",
        "jobs",
    ),
    "engineer_outside_hours": ngettext_lazy(
        "%(engineer)s has %(jobs)d job today outside the hours of the day.",
        "%(engineer)s has %(jobs)d jobs today outside the hours of the day.",
        "jobs",
    ),
    "engineer_suspended": ngettext_lazy(
        "%(engineer)s's account is suspended and still has %(jobs)d job today.",
        "%(engineer)s's account is suspended and still has %(jobs)d jobs today.",
        "jobs",
    ),
    "closure_review": gettext_lazy(
        "%(address)s, job %(job)s: %(engineer)s closed it with %(code)s. Nothing is sent to the seller before you "
        "approve."
    ),
    "job_late": gettext_lazy(
        "Job %(job)s, %(address)s: %(engineer)s is not expected before the window ends (%(window_end_at)s)."
    ),
    "job_late_agreed": gettext_lazy(
        "Job %(job)s, %(address)s: %(engineer)s is not expected at the agreed time (%(agreed_at)s)."
    ),
    "job_missed_agreed": gettext_lazy(
        "Job %(job)s, %(address)s: the agreed start (%(agreed_at)s) has passed and nobody was on site."
    ),
    "job_missed": gettext_lazy(
        "Job %(job)s, %(address)s: the window has ended (%(window_end_at)s) and nobody was on site."
    ),
    "job_interrupted": gettext_lazy(
        "Job %(job)s, %(address)s was begun, and %(engineer)s was to continue it (%(planned_at)s). Nobody is on site."
    ),
    "job_interrupted_unassigned": gettext_lazy(
        "Job %(job)s, %(address)s was begun and has no engineer, and the window has ended (%(window_end_at)s)."
    ),
    "job_late_unassigned": gettext_lazy(
        "Job %(job)s, %(address)s has no engineer, and the window ends soon (%(window_end_at)s)."
    ),
    "network_pattern_splitter": gettext_lazy(
        "Splitter %(element)s: %(jobs)d jobs with a network fault since %(since_at)s. Upcoming jobs there: %(ahead)d, "
        "on hold: %(held)d."
    ),
    "network_pattern_node": gettext_lazy(
        "Node %(element)s: %(jobs)d jobs with a network fault since %(since_at)s. Upcoming jobs there: %(ahead)d, on "
        "hold: %(held)d."
    ),
    "network_pattern_street": gettext_lazy(
        "%(element)s: %(jobs)d jobs with a network fault since %(since_at)s. Upcoming jobs there: %(ahead)d, on hold: "
        "%(held)d."
    ),
    "capacity_short": ngettext_lazy(
        "%(part)s, %(day_on)s, %(area)s: nobody has time for %(jobs)d job (%(short_minutes)s).",
        "%(part)s, %(day_on)s, %(area)s: nobody has time for %(jobs)d jobs (%(short_minutes)s).",
        "jobs",
    ),
    "capacity_skill_short": ngettext_lazy(
        "%(part)s, %(day_on)s, %(area)s: %(jobs)d job needs “%(skill)s”, and nobody with this skill has time "
        "(%(short_minutes)s).",
        "%(part)s, %(day_on)s, %(area)s: %(jobs)d jobs need “%(skill)s”, and nobody with this skill has time "
        "(%(short_minutes)s).",
        "jobs",
    ),
    "capacity_lead_time_short": ngettext_lazy(
        "%(part)s, %(day_on)s, %(area)s: the lead time of %(jobs)d job ends after its window (%(short_minutes)s). Ask "
        "the seller for a later appointment.",
        "%(part)s, %(day_on)s, %(area)s: the lead time of %(jobs)d jobs ends after their windows (%(short_minutes)s). "
        "Ask the seller for later appointments.",
        "jobs",
    ),
    "network_hold": ngettext_lazy(
        "%(element)s: %(jobs)d job is still on hold.", "%(element)s: %(jobs)d jobs are still on hold.", "jobs"
    ),
    "site_unsafe": gettext_lazy(
        "%(engineer)s answered “%(question)s” with “%(answer)s” (%(answered_at)s). Job %(job)s, %(address)s. "
        "Call %(phone)s now."
    ),
    "check_in_overdue": gettext_lazy(
        "%(engineer)s works alone at job %(job)s and should have checked in by %(due_at)s. Call %(phone)s now."
    ),
    "duty_failing": gettext_lazy(
        "The background duty “%(duty)s” has failed %(times)d times in a row. Messages are still sent. See its log."
    ),
    "scheduled_task_failing": gettext_lazy(
        "The background worker's task “%(duty)s” has failed %(times)d times in a row, repetitions of a run included. "
        "It is tried again at its next time, and all other tasks continue. See the worker's log."
    ),
    "photos_not_deleted": gettext_lazy(
        "Photos or signatures past their retention could not be deleted (%(error)s): %(photos)d. This is tried again "
        "every hour. The worker's log names them (photo not deleted)."
    ),
    "thumbnail_failed": gettext_lazy(
        "No thumbnail of photo %(question)s, job %(job)s, could be made in %(attempts)d attempts. The photo itself is "
        "stored and shown. Open it; if it is damaged, ask the engineer for another one."
    ),
    "task_rejected": gettext_lazy(
        "The background worker was asked to run %(name)s, which is not one of its tasks, and did not run it. "
        "Somebody who should not be able to can write to the task queue."
    ),
}
