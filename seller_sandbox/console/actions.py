"""The buttons of the console: each reads its form, runs one action, reports the result and returns to the page."""

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from seller_sandbox import clock
from seller_sandbox.console import control_requests, text_formats
from seller_sandbox.console.buttons import button
from seller_sandbox.console.clock import clock_page
from seller_sandbox.endpoints import credentials, switches
from seller_sandbox.jobs import codes, dispatching, odd_messages, provisioning, strictness
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.jobs.models import Job
from seller_sandbox.messages import outbox


@button
def send(request: HttpRequest) -> str:
    order = read_form(request, "count", "day", "seed", types="types", odd="odd")
    batch = control_requests.read_batch(order)
    made = dispatching.send_batch(batch)
    packs = text_formats.counted(len(made), "pack is", "packs are")
    return f"{packs} on the way for {text_formats.full_day(batch.day)}."


@button
def move_clock(request: HttpRequest) -> str:
    """By a step, to the next due action, or to an instant."""
    match request.POST.get("to", ""):
        case "next":
            wanted = {"advance_seconds": clock_page.seconds_to(clock_page.next_due())}
        case "instant":
            instant = clock_page.read_instant(request.POST.get("instant", ""))
            wanted = {"advance_seconds": clock_page.seconds_to(instant)}
        case _:
            wanted = read_form(request, "advance_seconds")
    now = clock.move(seconds=control_requests.read_advance(wanted))
    return f"The sandbox clock now shows {text_formats.full_time(now)}."


@button
def switch_endpoint(request: HttpRequest, name: str) -> str:
    if name not in settings.ENDPOINTS:
        raise Http404
    names = ("mode", "seconds", "status", "times", "retry_after", "per_minute")
    order = control_requests.read_switch(read_form(request, *names))
    switch = switches.set_switch(endpoint=name, **order)
    return f"Endpoint {name}: {switch.get_mode_display()}."


@button
def set_rule(request: HttpRequest) -> str:
    order = read_form(request, "mode", "result", "seconds")
    order["plan_cycle"] = read_plans(request.POST.get("plan_cycle", ""))
    rule = provisioning.set_rule(**control_requests.read_rule(order))
    return f"Scans are answered: {rule.get_mode_display()}."


@button
def set_strictness(request: HttpRequest) -> str:
    chosen = strictness.choose(
        is_strict=request.POST.get("is_strict") == "yes",
        positions_refused=request.POST.get("positions_refused") == "yes",
    )
    return (
        "Messages are checked strictly." if chosen.is_strict else "Messages are taken; breaches are recorded."
    )


@button
def change_certificate(request: HttpRequest) -> str:
    to_next = request.POST.get("uses_next") == "yes"
    try:
        credentials.change(to_next=to_next)
    except credentials.NoNextCertificate as problem:
        raise ActionNotPossible(str(problem)) from problem
    return f"The {'next' if to_next else 'first'} certificate is in force for new connections."


@button
def send_odd(request: HttpRequest, seller_job_id: str) -> str:
    name = control_requests.read_odd_message(read_form(request, "case"))
    odd_messages.send_odd(_job(seller_job_id), name=name)
    case = odd_messages.ODD_MESSAGES[name]
    return f"Queued: {case.description}. The partner should answer {case.expected}."


@button
def retry_queue(_: HttpRequest) -> str:
    return f"{text_formats.counted(outbox.retry_now(), 'message is', 'messages are')} tried at once."


@button
def cancel(_: HttpRequest, seller_job_id: str) -> str:
    dispatching.cancel(_job(seller_job_id))
    return "The cancellation is on its way; the partner may refuse it when the engineer is on site."


@button
def provision(request: HttpRequest, seller_job_id: str) -> str:
    result = control_requests.read_result(read_form(request, "result"))
    provisioning.give_result(job=_job(seller_job_id), result=result)
    return f"Result {result} is on its way: {codes.results()[result].details}."


@button
def repeat(_: HttpRequest, seller_job_id: str) -> str:
    dispatching.repeat_last(_job(seller_job_id), operation="createJob")
    return "The pack goes out once more, word for word; the partner must do nothing twice."


@button
def send_again(_: HttpRequest, seller_job_id: str) -> str:
    number = dispatching.send_refused_again(_job(seller_job_id))
    return f"{text_formats.counted(number, 'message goes', 'messages go')} out again."


def read_form(request: HttpRequest, *names: str, **lists: str) -> dict[str, Any]:
    """The form's filled fields, as a control request would have them: figures as numbers."""
    filled = {name: request.POST[name].strip() for name in names if request.POST.get(name, "").strip()}
    chosen = {
        name: request.POST.getlist(field) for name, field in lists.items() if request.POST.getlist(field)
    }
    return {name: _typed(text) for name, text in filled.items()} | chosen


def read_plans(text: str) -> list[list[Any]]:
    """`4,2; 1` as [[4, 2], [1]]."""
    plans = [plan.split(",") for plan in text.split(";") if plan.strip()]
    return [[_typed(entry.strip()) for entry in plan] for plan in plans]


def _typed(text: str) -> Any:
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        return text


def _job(seller_job_id: str) -> Job:
    return get_object_or_404(Job, seller_job_id=seller_job_id)
