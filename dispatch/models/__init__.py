"""The models of jobs, visits, devices, checks of lines, the histories of jobs and of the plan, proposals, drives and
rules of property flags."""

from dispatch.models.day_forecasts import (
    DayForecast,
    LearnedLength,
    LearnedSpread,
    RecordedForecast,
    SpreadKind,
)
from dispatch.models.devices import OntScan, ProvisioningResult, ScanSource
from dispatch.models.drives import DriveCorrection, DriveSource, RoadDrive, TravelServerHealth
from dispatch.models.history import JobEvent, JobEventReader
from dispatch.models.jobs_and_visits import (
    SAME_PREMISES,
    Job,
    JobQuerySet,
    Visit,
    VisitQuerySet,
)
from dispatch.models.line_states import (
    CODES_OF_A_LINE_THAT_IS_DOWN,
    ONT_DOWN,
    TEST_COULD_NOT_RUN,
    ConnectionState,
    LineCheck,
    LinePart,
    NodeColour,
    OntState,
    PortState,
)
from dispatch.models.plan_history import (
    AbsenceStep,
    OverrunStep,
    PinHoldChange,
    PinHoldStep,
    PlanAction,
    PlanActionQuerySet,
    PlanStep,
)
from dispatch.models.plan_proposals import (
    UNCHANGED_KINDS,
    ChangeKind,
    Occasion,
    PlanComparison,
    PlanOption,
    PlanProposal,
    ProposalState,
    ProposedChange,
    TravelNote,
)
from dispatch.models.property_flags import FlagRule
from dispatch.models.search import (
    JobSearchText,
    has_order,
    has_reference,
    job_keywords,
    national_number,
    split_keywords,
)

__all__ = [
    "CODES_OF_A_LINE_THAT_IS_DOWN",
    "ONT_DOWN",
    "SAME_PREMISES",
    "TEST_COULD_NOT_RUN",
    "UNCHANGED_KINDS",
    "AbsenceStep",
    "ChangeKind",
    "ConnectionState",
    "DayForecast",
    "DriveCorrection",
    "DriveSource",
    "FlagRule",
    "Job",
    "JobEvent",
    "JobEventReader",
    "JobQuerySet",
    "JobSearchText",
    "LearnedLength",
    "LearnedSpread",
    "LineCheck",
    "LinePart",
    "NodeColour",
    "Occasion",
    "OntScan",
    "OntState",
    "OverrunStep",
    "PinHoldChange",
    "PinHoldStep",
    "PlanAction",
    "PlanActionQuerySet",
    "PlanComparison",
    "PlanOption",
    "PlanProposal",
    "PlanStep",
    "PortState",
    "ProposalState",
    "ProposedChange",
    "ProvisioningResult",
    "RecordedForecast",
    "RoadDrive",
    "ScanSource",
    "SpreadKind",
    "TravelNote",
    "TravelServerHealth",
    "Visit",
    "VisitQuerySet",
    "has_order",
    "has_reference",
    "job_keywords",
    "national_number",
    "split_keywords",
]
