"""`python -m tests.bench.map_pins_page ROUNDS PINS …`: grows a day to each number of jobs and drags its map.

A process of its own, since its database is chosen from the environment before Django starts.
"""

import json
import random
import statistics
import sys
from datetime import timedelta
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.testcases import LiveServerThread  # noqa: E402
from playwright.sync_api import Page, expect  # noqa: E402

from dispatch.models import Job, Visit  # noqa: E402
from dispatch.states import JobState  # noqa: E402
from engineers.models import Engineer  # noqa: E402
from tests import make  # noqa: E402
from tests.servers.browser import DESKTOP, chromium, open_window  # noqa: E402

ENGINEERS = 60
# of four jobs one has an engineer, so that there are routes as well
SHARE_ASSIGNED = 4
DISTANCE_PX, STEPS = 300, 60
# a page with thousands of cards, whose making is not what is measured
LOAD_MILLISECONDS = 120_000
RECORD_FRAMES = """() => {
  globalThis.frames = [];
  let before = performance.now();
  const next = (now) => {
    globalThis.frames.push(now - before);
    before = now;
    globalThis.request = requestAnimationFrame(next);
  };
  globalThis.request = requestAnimationFrame(next);
}"""
TAKE_FRAMES = "() => { cancelAnimationFrame(globalThis.request); return globalThis.frames.slice(1); }"


def grow(pins: int) -> None:
    """Copies of one job round Leeds; what a map shows needs no history."""
    random_places = random.Random(pins)
    template = Job.objects.first() or make.job(duration_minutes=30)
    people = list(Engineer.objects.all()) or [make.engineer(name=f"Engineer {n}") for n in range(ENGINEERS)]
    copies = [_copy(template, number, random_places) for number in range(Job.objects.count(), pins)]
    made = Job.objects.bulk_create(copies)
    start = make.at("08:00")
    Visit.objects.bulk_create(
        Visit(
            job=job,
            engineer=people[index % len(people)],
            planned_start=start + timedelta(minutes=30 * (index // len(people))),
            planned_end=start + timedelta(minutes=30 * (index // len(people)) + 30),
        )
        for index, job in enumerate(job for job in made if job.state == JobState.ASSIGNED)
    )


def _copy(template: Job, number: int, random_places: random.Random) -> Job:
    copy = Job.objects.get(pk=template.pk)
    copy.pk = None
    copy.provider_job_id, copy.seller_job_id = f"J-MAP-{number}", f"S-MAP-{number}"
    copy.latitude = 53.8 + random_places.gauss(0, 0.05)
    copy.longitude = -1.55 + random_places.gauss(0, 0.08)
    copy.state = JobState.UNASSIGNED if number % SHARE_ASSIGNED else JobState.ASSIGNED
    return copy


def measure(page: Page, *, rounds: int) -> dict[str, Any]:
    page.goto(f"/board/?day={make.DAY.isoformat()}", timeout=LOAD_MILLISECONDS)
    expect(page.locator("#map-legend li")).not_to_have_count(0, timeout=LOAD_MILLISECONDS)
    pans = [pan(page, direction=1 if number % 2 else -1) for number in range(rounds + 1)][1:]
    frames = [frame for found in pans for frame in found]
    return {
        "longest": round(statistics.median(max(found) for found in pans), 1),
        "median": round(statistics.median(frames), 1),
        "frames": len(frames) // rounds,
    }


def pan(page: Page, *, direction: int) -> list[float]:
    """The milliseconds of each frame from the press of the button until the map stands still again."""
    box = page.locator("#day-map").bounding_box()
    if box is None:
        raise RuntimeError("the map is not on the page")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.evaluate(RECORD_FRAMES)
    page.mouse.down()
    page.mouse.move(x + direction * DISTANCE_PX, y + direction * DISTANCE_PX / 2, steps=STEPS)
    page.mouse.up()
    page.wait_for_timeout(500)
    found: list[float] = page.evaluate(TAKE_FRAMES)
    return found


def main() -> None:
    call_command("migrate", verbosity=0)
    client = Client()
    client.force_login(make.dispatcher(), "engineers.permissions.RoleBackend")
    client.post("/board/view/", {"layout": "map"})
    cookie = {
        "name": settings.SESSION_COOKIE_NAME,
        "value": client.cookies[settings.SESSION_COOKIE_NAME].value,
    }
    rounds, *sizes = (int(argument) for argument in sys.argv[1:])
    server = LiveServerThread("127.0.0.1", StaticFilesHandler)
    server.daemon = True
    server.start()
    server.is_ready.wait()
    with chromium() as browser:
        for pins in sizes:
            grow(pins)
            window = open_window(browser, base_url=f"http://127.0.0.1:{server.port}", kind=DESKTOP)
            window.page.context.add_cookies([{**cookie, "url": f"http://127.0.0.1:{server.port}"}])
            sys.stdout.write(json.dumps(measure(window.page, rounds=rounds)) + "\n")
            window.page.context.close()
    server.terminate()


if __name__ == "__main__":
    main()
