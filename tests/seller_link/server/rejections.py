"""Callers who must be refused: what the refusal of each is counted as, and what has been counted."""

from django.db.models import Sum

from seller_link.caller_authorization import REJECTIONS, RejectionCause
from seller_link.models import RejectedCaller

# by the names of the fixture `unknown_callers`
CAUSES = {
    "nobody": RejectionCause.NO_CERTIFICATE,
    "somebody else": RejectionCause.SUBJECT,
    "self-signed": RejectionCause.SELF_SIGNED,
    "another authority": RejectionCause.UNKNOWN_AUTHORITY,
    "expired": RejectionCause.EXPIRED,
    "not yet valid": RejectionCause.NOT_YET_VALID,
}


def clear_rejections() -> None:
    REJECTIONS.write()
    RejectedCaller.objects.all().delete()


def counted() -> dict[str, int]:
    REJECTIONS.write()
    rows = RejectedCaller.objects.order_by().values_list("cause")
    return dict(rows.annotate(number=Sum("count")))
