"""Domain terms turned into what the seller reads: bodies of notifyJob and closeJob."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from closures import codes
from closures.codes import ClosureCode
from seller_link.wire.v1 import contract
from seller_link.wire.v1.incoming import without_nulls
from seller_link.wire.v1.refusals import Detail

NOTIFY, CLOSE = "notifyJob", "closeJob"
PHOTO_SOURCE = "Closure"
# question, answer (None where it is masked) and when it was given
AnswerKey = tuple[str, str | None, str]
# a strict seller refuses what lies five minutes ahead of its clock, which may be a minute behind ours
AHEAD_AT_MOST = timedelta(minutes=4)


@dataclass(frozen=True)
class MessageEnvelope:
    """What every message carries. `occurred_at` comes from a phone's clock, which may run ahead of ours, or be before
    what the seller has received already (`not_before`). `carried`: for a closing, the answers that events have
    carried."""

    message_id: UUID
    sent_at: datetime
    occurred_at: datetime
    provider_job_id: str
    seller_job_id: str
    not_before: datetime | None = None
    carried: Collection[AnswerKey] = ()

    def envelope(self) -> dict[str, Any]:
        return {
            "messageId": str(self.message_id),
            "sentAt": instant(self.sent_at),
            "providerJobId": self.provider_job_id,
            "sellerJobId": self.seller_job_id,
        }

    def happened(self) -> str:
        """Never later than now, unless our clock was ahead when the one before was sent: what lies farther ahead than
        the seller allows was never accepted."""
        moment = min(self.occurred_at, self.sent_at)
        return instant(max(moment, self.accepted(self.not_before)) if self.not_before else moment)

    def accepted(self, moment: datetime, *, reported_at: datetime | None = None) -> datetime:
        """This moment, or the last one that the seller takes, since our clock may have been ahead; the same as in the
        message of `reported_at`."""
        return min(moment, min(reported_at or self.sent_at, self.sent_at) + AHEAD_AT_MOST)


@dataclass(frozen=True)
class File:
    """A photo of an answer; `url` empty when the storage gives none."""

    name: str
    media_type: str
    object_path: str
    url: str = ""


@dataclass(frozen=True)
class GivenAnswer:
    question_code: str
    question_text: str
    answer_text: str
    answered_at: datetime
    files: Sequence[File] = ()


def instant(moment: datetime) -> str:
    """ISO 8601 with an offset, to the millisecond."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")


def engineer_assigned(envelope: MessageEnvelope, facts: dict[str, Any]) -> dict[str, Any]:
    return {
        **_event(envelope, "engineerAssigned"),
        "engineer": {
            "id": facts["engineer_number"],
            "name": facts["engineer_name"],
            "phone": facts["engineer_phone"],
        },
        "plannedStart": instant(datetime.fromisoformat(facts["planned_start"])),
        "plannedEnd": instant(datetime.fromisoformat(facts["planned_end"])),
    }


def en_route(envelope: MessageEnvelope, facts: dict[str, Any]) -> dict[str, Any]:
    return {
        **_event(envelope, "enRoute"),
        "engineer": {"id": facts["engineer_number"]},
        **_coordinates(facts),
    }


def on_site(envelope: MessageEnvelope, facts: dict[str, Any]) -> dict[str, Any]:
    return {**_event(envelope, "onSite"), "engineer": {"id": facts["engineer_number"]}, **_coordinates(facts)}


def ont_scanned(envelope: MessageEnvelope, facts: dict[str, Any]) -> dict[str, Any]:
    return {
        **_event(envelope, "ontScanned"),
        "ont": {"fsan": facts["fsan"], "serialNumber": facts["serial_number"]},
        "scanId": facts["scan_id"],
    }


def with_answers(body: dict[str, Any], answers: Iterable[GivenAnswer]) -> dict[str, Any]:
    """An event with what was answered since the last message."""
    entries = [_answer(answer, source=NOTIFY) for answer in answers]
    return {**body, "questions_answers": entries} if entries else body


def _event(envelope: MessageEnvelope, event: str) -> dict[str, Any]:
    return {**envelope.envelope(), "event": event, "occurredAt": envelope.happened()}


def _coordinates(facts: dict[str, Any]) -> dict[str, Any]:
    """Left out when the phone knew no place: an invented one would be worse."""
    if facts.get("latitude") is None:
        return {}
    coordinates = {"latitude": facts["latitude"], "longitude": facts["longitude"]}
    if facts.get("accuracy_metres") is not None:
        coordinates["accuracyMetres"] = facts["accuracy_metres"]
    return {"coordinates": coordinates}


def close_job(
    envelope: MessageEnvelope,
    facts: dict[str, Any],
    answers: Iterable[GivenAnswer],
) -> dict[str, Any]:
    """closeJob (job-messages.md). The secondary code and its description go both or neither; the engineer is left out
    when nobody attended."""
    entries = [_answer(answer, source=CLOSE) for answer in answers]
    body = {
        **envelope.envelope(),
        "closureCode": facts["code"],
        "closedAt": envelope.happened(),
        "questions_answers": with_first_sources(entries, carried=envelope.carried),
    }
    if facts.get("engineer_number"):
        body["engineer"] = {"id": facts["engineer_number"], "name": facts["engineer_name"]}
    if facts.get("secondary_code"):
        body["secondaryClosureCode"] = facts["secondary_code"]
        body["secondaryClosureCodeDescription"] = facts["secondary_description"]
    if facts.get("remarks"):
        body["remarks"] = facts["remarks"]
    return body


def answer_keys(body: dict[str, Any], *, is_masked: bool) -> set[AnswerKey]:
    """Of the answers that a message carries: an answer that was changed since is another one. In a masked body only the
    question and the time are left to know it by."""
    return {_answer_key(entry, is_masked=is_masked) for entry in body.get("questions_answers") or []}


def _answer_key(entry: dict[str, Any], *, is_masked: bool) -> AnswerKey:
    return entry["question_code"], None if is_masked else entry["answer"], entry["response_received"]


def with_first_sources(
    entries: Iterable[dict[str, Any]], *, carried: Collection[AnswerKey]
) -> list[dict[str, Any]]:
    """Each with the message that carried it first; a photo answer uses the source Closure (installation-jobs.md)."""
    return [{**entry, "source": _first_source(entry, carried)} for entry in entries]


def _first_source(entry: dict[str, Any], carried: Collection[AnswerKey]) -> str:
    if entry.get("files"):
        return PHOTO_SOURCE
    is_carried = any(_answer_key(entry, is_masked=is_masked) in carried for is_masked in (False, True))
    return NOTIFY if is_carried else CLOSE


def _answer(answer: GivenAnswer, *, source: str) -> dict[str, Any]:
    """installation-jobs.md, questions_answers entries."""
    entry: dict[str, Any] = {
        "question": answer.question_text,
        "question_code": answer.question_code,
        "answer": answer.answer_text,
        "response_received": instant(answer.answered_at),
        "source": source,
    }
    if answer.files:
        entry["files"] = [_file(file) for file in answer.files]
    return entry


def _file(file: File) -> dict[str, str]:
    entry = {"name": file.name, "type": file.media_type, "object_path": file.object_path}
    return {**entry, "url": file.url} if file.url else entry


SCHEMAS = {NOTIFY: "notifyJob.partner", CLOSE: "closeJob"}


def problems(operation: str, body: dict[str, Any]) -> list[Detail]:
    """Every place that breaks it: the schema's rules, and those that a schema cannot say."""
    plain = without_nulls(body)
    found = [
        *contract.problems(SCHEMAS[operation], plain),
        *contract.instant_problems(SCHEMAS[operation], plain),
    ]
    return [*found, *(_closure_problems(plain) if operation == CLOSE else contract.plan_problems(plain))]


def _closure_problems(body: dict[str, Any]) -> list[Detail]:
    code = body.get("closureCode")
    if not isinstance(code, str):
        return []
    if codes.find_code(code).code != code:
        return [Detail("/closureCode", "invalidValue", "This is no closure code of the tables.")]
    if code == codes.OTHER.code and not str(body.get("remarks", "")).strip():
        return [Detail("/remarks", "missingProperty", "Other reason needs remarks.")]
    return _secondary_problems(codes.find_code(code), body)


def _secondary_problems(code: ClosureCode, body: dict[str, Any]) -> list[Detail]:
    secondary, where = body.get("secondaryClosureCode"), "/secondaryClosureCode"
    if secondary is None:
        text = f"{code.code} needs a secondary code."
        if "secondaryClosureCodeDescription" in body:
            text = "A description needs its secondary code."
        elif not code.secondary_required:
            return []
        return [Detail(where, "missingProperty", text)]
    known = code.secondary(secondary)
    if known is None:
        return [Detail(where, "invalidValue", f"This does not belong to {code.code}.")]
    if body.get("secondaryClosureCodeDescription") != known.description:
        text = f"The description of {known.code} is: {known.description}"
        return [Detail(f"{where}Description", "invalidValue", text)]
    return []
