"""Which compensation matters beyond reasonable control leave payable (order-provisioning.md, MBORC rules)."""

from dataclasses import dataclass
from enum import StrEnum


class MborcType(StrEnum):
    PROVISION = "Missed Appointment-Provision"
    REPAIR = "Missed Appointment-Repair"


class Payable(StrEnum):
    """Compensation applies, is excluded, or there is none of that kind."""

    YES = "Y"
    NO = "N"
    NOT_APPLICABLE = "NA"


@dataclass(frozen=True)
class MborcRow:
    """One row of the table, its columns in the document's order."""

    late_provision: Payable
    late_repair: Payable
    missed_appointment: Payable


MBORC_RULES: dict[MborcType, MborcRow] = {
    MborcType.PROVISION: MborcRow(
        late_provision=Payable.YES, late_repair=Payable.NOT_APPLICABLE, missed_appointment=Payable.NO
    ),
    MborcType.REPAIR: MborcRow(
        late_provision=Payable.NOT_APPLICABLE, late_repair=Payable.YES, missed_appointment=Payable.NO
    ),
}
