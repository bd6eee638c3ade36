"""The seller's answers to requestServiceDiagnostics, for an endpoint of tests.servers.seller: each names the message
and the service that it was asked for."""

import re
import ssl

from tests.servers.seller import Behaviour, reply

NAMESPACE = "urn:sandbox-seller:diagnostics"
OPERATION = "requestServiceDiagnostics"
ENVELOPE = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>{}</s:Body></s:Envelope>'
)
WORKING = {
    "current_status": "Service Working",
    "code": "AOK001",
    "ont": ("Service Up", "2026-11-23T09:00:00Z", "Service Down"),
    "connection": ("Up", "2026-11-23T09:00:05Z", ""),
    "port": ("Up", "", ""),
    "usage": "Orange",
    "local": (("ENNI", "Green"), ("Interconnect", "Orange"), ("PON", "Unk")),
    "national": (("Interconnect", "Green"), ("Handoff", "Red"), ("ENNI", "Green"), ("PON", "Green")),
}
FIBRE_CUT = WORKING | {
    "current_status": "Potential Service Issue Detected",
    "code": "CFH001",
    "ont": ("Service Down", "2026-11-23T10:00:00Z", "Service Up"),
    "connection": ("Down CF", "2026-11-23T10:00:00Z", "Up"),
}
NOT_TESTED = {"current_status": "Unable to Check Network Status", "code": "STF001"}
TEXTS = {
    "AOK001": (
        "ONT, connectivity and port results all Up",
        "No issue believed on the supplier network",
    ),
    "CFH001": (
        "ONT is down, indicating a potential fibre issue",
        "Raise as Total Loss of Service with detail including which ONT lights are on",
    ),
    "STF001": ("The service test could not run", "Continue to raise an incident"),
}


def sent(message: dict[str, object], name: str) -> str:
    """The text of one element of the request."""
    found = re.search(rf"<(?:\w+:)?{name}>([^<]*)<", str(message["_body"]))
    return found[1] if found else ""


def answered(**facts: object) -> Behaviour:
    """200 with a result; facts as in WORKING."""

    def behave(line: ssl.SSLSocket, message: dict[str, object]) -> None:
        body = f"<serviceId>{sent(message, 'serviceId')}</serviceId>{_details(facts)}"
        _send(line, message, body)

    return behave


def refused(text: str, *, status: str = "400 Bad Request") -> Behaviour:
    def behave(line: ssl.SSLSocket, message: dict[str, object]) -> None:
        _send(line, message, f"<errorMessage>{text}</errorMessage>", status=status, response_code=1)

    return behave


def faulted(status: str, text: str) -> Behaviour:
    fault = f"<s:Fault><faultcode>s:Server</faultcode><faultstring>{text}</faultstring></s:Fault>"
    return reply(status, ENVELOPE.format(fault).encode())


def for_another_message(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    other = re.sub(r"(<messageId>)[^<]*", r"\g<1>6f0d5b1e-6f5e-4a57-9a55-5b1f5f0d9999", str(message["_body"]))
    answered(**WORKING)(line, {"_body": other})


def for_another_service(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    other = re.sub(r"(<serviceId>)[^<]*", r"\g<1>SVC-OTHER", str(message["_body"]))
    answered(**WORKING)(line, {"_body": other})


def _send(
    line: ssl.SSLSocket,
    message: dict[str, object],
    body: str,
    *,
    status: str = "200 OK",
    response_code: int = 0,
) -> None:
    head = (
        f"<apiVersion>1.1</apiVersion><buyerIdentifier>{sent(message, 'buyerIdentifier')}</buyerIdentifier>"
        f"<sentAt>2026-11-23T10:00:01Z</sentAt><messageId>{sent(message, 'messageId')}</messageId>"
        f"<responseCode>{response_code}</responseCode>"
    )
    root = f'<{OPERATION}Response xmlns="{NAMESPACE}">{head}{body}</{OPERATION}Response>'
    reply(status, ENVELOPE.format(root).encode())(line, message)


def _details(facts: dict[str, object]) -> str:
    code = facts["code"]
    result, action = TEXTS[str(code)]
    return (
        "<faultDetails><supplierDiagnostics><buyerIdentifier>partner</buyerIdentifier>"
        f"<currentStatus>{facts['current_status']}</currentStatus><currentUniportStatus/>"
        f"<servicePathUsage>{facts.get('usage', 'Unk')}</servicePathUsage>"
        + "".join(
            _part(element, *facts[name])  # type: ignore[misc]
            for name, element in (
                ("ont", "ontStatus"),
                ("connection", "cfmStatus"),
                ("port", "uniPortStatus"),
            )
            if name in facts
        )
        + "".join(
            f"<{name}Configuration>{''.join(_node(*node) for node in facts[name])}</{name}Configuration>"  # type: ignore[attr-defined]
            for name in ("local", "national")
            if name in facts
        )
        + f"<nextBestAction><code>{code}</code><result>{result}</result><action>{action}</action></nextBestAction>"
        "</supplierDiagnostics></faultDetails>"
    )


def _part(element: str, status: str, last_event_at: str, changed_from: str) -> str:
    return (
        f"<{element}><status>{status}</status>"
        + (f"<lastEventAt>{last_event_at}</lastEventAt>" if last_event_at else "")
        + (f"<changedFrom>{changed_from}</changedFrom>" if changed_from else "")
        + f"</{element}>"
    )


def _node(name: str, colour: str) -> str:
    return f"<node><name>{name}</name><ragStatus>{colour}</ragStatus></node>"
