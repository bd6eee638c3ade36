"""Projects agreed in advance (order-provisioning.md, Project references)."""

from datetime import date

from seller_sandbox.network.models import Buyer, Project


def find_running(*, buyer: Buyer, reference: str, day: date) -> Project | None:
    """The buyer's project of this reference if `day` lies in it; none is error 511."""
    mine = Project.objects.filter(buyer=buyer, reference=reference.strip())
    return mine.filter(starts_on__lte=day, ends_on__gte=day).first()
