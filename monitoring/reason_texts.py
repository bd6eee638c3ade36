"""The reasons that the application itself gives, by their keys: why something was not sent, stored or planned."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

REASON_TEXTS: dict[str, Promise | str] = {
    # the words of another program, and a list's entry
    "technical": "%(detail)s",
    "of_address": "%(address)s: %(reason)s",
    # monitoring.signed_post
    "no_answer_in_time": _("No complete answer in time"),
    "name_unknown": _("The server's name is unknown"),
    "no_connection": _("No connection"),
    "answer_broke_off": _("The answer broke off"),
    "no_answer": _("The connection ended without an answer"),
    "connection_broke_off": _("The connection broke off"),
    "certificate_not_trusted": _("The certificate is not trusted"),
    "address_unusable": _("The address can't be used"),
    "address_not_public": _("%(address)s is not a public address"),
    "http_status": _("HTTP status %(status)s"),
    # monitoring.mail_server: whether the server took it is not always known
    "mail_not_confirmed": _("The mail server did not confirm it (%(detail)s)"),
    # an error in our own code, in seller_link or partner_api
    "own_fault": _("our own fault: %(error)s"),
    # alerting
    "contact_deleted": _("The contact was deleted"),
    "setting_missing": _("%(setting)s does not allow it"),
    # customer_messages
    "no_address": _("The job pack has no usable mobile number or e-mail address."),
    "channel_not_set_up": _("This channel is no longer set up"),
    # both
    "interrupted": _("Sending was interrupted. It may have arrived."),
    # seller_link: what came of a call to the seller
    "seller_late": _("no answer within %(seconds)g s"),
    "seller_answered": _("answered %(status)d"),
    "seller_answer_invalid": _("the answer is not the documented JSON for this message"),
    "seller_answer_too_large": _("the answer is too large"),
    "seller_answer_without_length": _("the answer has no length"),
    "seller_answer_broke_off": _("the answer broke off"),
    "seller_head_too_large": _("the answer's head is too large"),
    "own_certificate_unusable": _("our client certificate, its key or the CA file can't be used"),
    "own_certificate_rejected": _("the seller rejected our certificate (%(alert)s)"),
    "untrusted_name": _("the seller's certificate is for a different host name"),
    "untrusted_issuer": _("the seller's certificate was issued by an untrusted authority"),
    "untrusted_expired": _("the seller's certificate has expired"),
    "untrusted_not_yet_valid": _("the seller's certificate is not valid yet"),
    "untrusted_revoked": _("the seller's certificate has been revoked"),
    "untrusted_invalid": _("the seller's certificate is not valid: %(why)s"),
    # dispatch.planning.travel_server
    "travel_late": _("no complete answer within %(seconds).1f s"),
    "travel_status": _("HTTP status %(status)d %(detail)s"),
    "travel_too_many_requests": _("HTTP status 429: too many requests"),
    "travel_answer_too_large": _("its answer is too large"),
    "travel_answer_no_json": _("its answer is not JSON"),
    "travel_answer_no_table": _("its answer is not a table of these drives"),
    # monitoring.health_checks
    "disk_no_folder": _("%(folder)s is not a folder"),
    "disk_not_writable": _("%(folder)s can't be written to"),
    "disk_low": _("%(free)d MB free, fewer than %(least)d"),
    "disk_without_inodes": _("no inodes free"),
    # operations.backup_retention
    "backup_folder_failed": _("%(detail)s. Repair the folder; the next backup tries again."),
    "backup_temporary_folder_failed": _(
        "%(detail)s, in the folder for temporary files. Repair it; the next backup tries again."
    ),
    "backup_gap": _(
        "%(later)s is %(days)d days after %(earlier)s, the newest before it, as if a clock were wrong. Check the clock "
        "of this machine. If it is right, run manage.py backup --keep-days %(keep_days)d --clock-is-right once."
    ),
    "backup_gap_today": _(
        "Today is %(days)d days after %(earlier)s, the newest before it, as if a clock were wrong. Check the clock of "
        "this machine. If it is right, run manage.py backup --keep-days %(keep_days)d --clock-is-right once."
    ),
    "backup_photos_unreadable": _(
        "%(path)s can't be read (%(detail)s), and says which photos are still needed. Bring it back, or delete "
        "%(folder)s."
    ),
    # dispatch: changes of the plan that nobody gave a reason for
    "plan_undone": _("Undone"),
    "plan_redone": _("Redone"),
    "job_cancelled": _("Cancelled"),
}
