"""What has become of the present day of those who would attend a visit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dispatch.models import Visit
from engineers.shifts import TimeSpan


@dataclass(frozen=True)
class ProgressToday:
    """`expected`: by the visit's key when those will really be that are late. `withdrawn`: the visits that are no
    longer theirs although they had set off (occupied_time.withdrawn_visits)."""

    expected: Mapping[int, TimeSpan] = field(default_factory=dict)
    withdrawn: Sequence[Visit] = ()


AS_PLANNED = ProgressToday()
