"""Photos in a real browser: from a camera in the page to the board, checked, drawn on, signed, deleted, never lost."""

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFilter
from playwright.sync_api import Browser, Page, expect

from tests.browser.phone import arrived, come_back, day_of_jobs, go_to_site, rows
from tests.browser.story import at_desk, draw_signature, main_button, sign_in, until
from tests.servers import browser as browsers
from tests.servers.browser import PHONE, Window, open_window
from tests.servers.phone import APP, open_app
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
CAMERA = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
ORIENTATION, TURNED = 0x0112, 6
AGAIN = "Take it again"
HEIC = Path(__file__).parents[1] / "data" / "photo.heic"
# the still comes when the phone is back from another application, whose use of the camera ended it
TAKES_LONG = """() => {
  ImageCapture.prototype.takePhoto = () => new Promise((_resolve, reject) => { globalThis.endStill = reject; });
}"""
IS_LEFT = """() => {
  Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
  delete document.visibilityState;
  endStill(new Error("the camera is in use"));
}"""
Job = dict[str, str]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not browsers.CHROMIUM:
        pytest.skip("no chromium is installed")
    with browsers.chromium(*CAMERA) as running:
        yield running


@pytest.fixture(scope="module")
def job(system: System) -> Job:
    (found,) = day_of_jobs(system, username="petra", count=1, seed=41, plan=[1])
    return found


@pytest.fixture(scope="module")
def van(system: System, browser: Browser, job: Job) -> Window:
    window = open_window(browser, base_url=system.url, kind=PHONE)
    window.page.context.grant_permissions(["geolocation", "camera"])
    sign_in(system, window.page, username="petra")
    go_to_site(window.page, job)
    return window


def picture(*, blurred: int = 0, light: float = 1.0, turned: bool = False) -> dict[str, Any]:
    """Twelve megapixels with edges, as a phone's camera application hands them over."""
    image = Image.effect_noise((4000, 3000), 40).convert("RGB")
    draw = ImageDraw.Draw(image)
    for left in range(0, 4000, 160):
        draw.rectangle((left, left * 7 % 3000, left + 90, left * 7 % 3000 + 400), fill=(200, left % 255, 60))
    image = image.filter(ImageFilter.GaussianBlur(2 + blurred)).point(lambda level: int(level * light))
    exif = Image.Exif()
    exif[ORIENTATION] = TURNED if turned else 1
    content = io.BytesIO()
    image.save(content, "JPEG", quality=90, exif=exif)
    return {"name": "photo.jpg", "mimeType": "image/jpeg", "buffer": content.getvalue()}


def ask(page: Page, job: Job, code: str) -> None:
    open_app(page, f"/phone/jobs/{job['ours']}/question/{code}/")


def take(page: Page, file: dict[str, Any], *, field: str = "#photo") -> None:
    page.locator(field).set_input_files(file)
    expect(page.get_by_text(AGAIN)).to_be_visible()


def begin_arrow(page: Page) -> None:
    page.get_by_text("Draw an arrow").click()
    page.locator("canvas").focus()
    for key in ("ArrowUp", "ArrowUp", "Shift+ArrowLeft"):
        page.keyboard.press(key)


def stored(system: System, job: Job, code: str) -> list[dict[str, Any]]:
    """The job's photos of a question as the server has them, those with their bytes only."""
    query = """select p.* from closures_photo p join dispatch_job j on j.id = p.job_id
    where j.provider_job_id = ? and question_code = ? and stored_at is not null order by taken_at"""
    return rows(system, query, job["ours"], code)


def test_camera_in_the_page_takes_a_photo_and_an_arrow_is_drawn(
    system: System, van: Window, job: Job
) -> None:
    page = van.page
    ask(page, job, "PHO01")
    van.looked_at("phone-photo-question")
    main_button(page)
    expect(page.get_by_role("button", name="Take it", exact=True)).to_be_enabled()
    van.looked_at("phone-photo-camera")
    main_button(page)
    expect(page.get_by_text(AGAIN)).to_be_visible()
    begin_arrow(page)
    van.looked_at("phone-photo-arrow")
    main_button(page)
    expect(page.get_by_text(AGAIN)).to_be_visible()
    van.looked_at("phone-photo-review")
    main_button(page)
    page.wait_for_url(lambda url: "PHO01" not in url)
    until(lambda: len(stored(system, job, "PHO01")) == 1)

    (photo,) = stored(system, job, "PHO01")
    assert (photo["source"], photo["latitude"]) == ("camera", browsers.LEEDS["latitude"])
    assert len(photo["original_sha256"]) == 64 != photo["sha256"]


def test_photo_is_upright_small_and_without_doubt(system: System, van: Window, job: Job) -> None:
    ask(van.page, job, "PHO02")
    take(van.page, picture(turned=True))
    main_button(van.page)
    until(lambda: len(stored(system, job, "PHO02")) == 1)

    (photo,) = stored(system, job, "PHO02")
    assert (photo["width"], photo["height"]) == (1200, 1600)
    assert '"used_anyway": false' in photo["checks"]


@pytest.mark.parametrize(
    ("spoilt", "message"),
    [({"blurred": 25}, "This photo looks blurred."), ({"light": 0.1}, "This photo is very dark.")],
)
def test_bad_photo_says_so_and_may_be_taken_again(
    van: Window, job: Job, spoilt: dict[str, Any], message: str
) -> None:
    ask(van.page, job, "PHO05")
    take(van.page, picture(**spoilt))
    expect(van.page.get_by_text(message)).to_be_visible()
    van.looked_at("phone-photo-doubt")
    van.page.get_by_text(AGAIN).click()

    expect(van.page.locator(".camera-taken")).to_have_count(0)
    expect(van.page.get_by_role("button", name="Take the photo")).to_be_visible()


def test_page_that_is_left_while_the_photo_is_taken_asks_for_it_again(van: Window, job: Job) -> None:
    page = van.page
    ask(page, job, "PHO05")
    page.evaluate(TAKES_LONG)
    main_button(page)
    expect(page.get_by_role("button", name="Take it", exact=True)).to_be_enabled()
    main_button(page)
    expect(page.get_by_role("button", name="Take it", exact=True)).to_be_disabled()
    page.evaluate(IS_LEFT)

    expect(page.get_by_text("The photo could not be taken. Try again.")).to_be_visible()
    expect(page.get_by_role("button", name="Take the photo")).to_be_visible()
    assert van.complaints == []


def test_photo_used_anyway_is_seen_by_the_office(
    system: System, browser: Browser, van: Window, job: Job
) -> None:
    ask(van.page, job, "PHO03")
    take(van.page, picture(light=0.1))
    begin_arrow(van.page)
    main_button(van.page)
    van.page.get_by_role("button", name="Keep it", exact=True).click()
    until(lambda: len(stored(system, job, "PHO03")) == 1)

    office = at_desk(system, browser)
    office.page.goto(f"/board/jobs/{job['ours']}/")
    photo = office.page.get_by_role("figure").filter(has_text="PHO03")
    expect(photo.get_by_text(re.compile("Very dark.*kept anyway"))).to_be_visible()
    expect(photo.get_by_text("Annotated. Original:")).to_be_visible()
    office.looked_at("board-job-photo-doubts")


def test_gallery_is_offered_where_the_question_allows_it(van: Window, job: Job) -> None:
    ask(van.page, job, "PHO06")
    expect(van.page.locator("#photo-gallery")).to_have_count(0)
    ask(van.page, job, "HAZ02")
    take(van.page, picture(), field="#photo-gallery")
    main_button(van.page)
    van.page.wait_for_url(lambda url: "HAZ02" not in url)


def test_photo_of_the_gallery_is_marked(system: System, job: Job) -> None:
    until(lambda: len(stored(system, job, "HAZ02")) == 1)

    assert [photo["source"] for photo in stored(system, job, "HAZ02")] == ["gallery"]


def test_page_that_ended_has_the_photo_still_in_hand(system: System, van: Window, job: Job) -> None:
    ask(van.page, job, "PHO05")
    take(van.page, picture())
    van.page.goto("about:blank")
    ask(van.page, job, "PHO05")
    expect(van.page.get_by_text(AGAIN)).to_be_visible()
    van.page.get_by_text("Keep it, take another").click()
    expect(van.page.get_by_text("1 photo")).to_be_visible()
    expect(van.page.locator(".camera-taken")).to_have_count(0)
    until(lambda: len(stored(system, job, "PHO05")) == 1)


FORGET_SIZES = """async (app) => {
  const { database } = await import(app);
  const text = JSON.stringify(await database.getValue("day"), (name, value) =>
    ["long_edge", "quality"].includes(name) ? undefined : value);
  await database.setValue("day", JSON.parse(text));
}"""


def test_day_of_an_earlier_version_names_no_size_and_photos_are_taken(van: Window, job: Job) -> None:
    ask(van.page, job, "PHO06")
    van.page.context.set_offline(True)
    van.page.evaluate(FORGET_SIZES, APP)
    ask(van.page, job, "PHO06")
    take(van.page, picture())
    van.page.get_by_text(AGAIN).click()
    expect(van.page.locator(".camera-taken")).to_have_count(0)
    van.page.context.set_offline(False)


def test_photo_without_signal_can_be_deleted_and_never_arrives(system: System, van: Window, job: Job) -> None:
    page = van.page
    ask(page, job, "PHO06")
    page.context.set_offline(True)
    for _ in range(2):
        take(page, picture())
        page.get_by_text("Keep it, take another").click()
        expect(page.locator(".camera-taken")).to_have_count(0)
    expect(page.locator(".phone-preview img")).to_have_count(2)
    van.looked_at("phone-photo-delete")
    page.get_by_role("button", name="Delete photo").first.click()
    expect(page.locator(".phone-preview")).to_have_count(1)
    come_back(page)
    until(lambda: len(stored(system, job, "PHO06")) == 1)
    expect(page.get_by_text("All sent")).to_be_visible()

    entries = [entry for entry in arrived(system, job) if entry["body"].get("question") == "PHO06"]
    announced = [entry["body"]["photo_id"] for entry in entries if entry["kind"] == "photo_taken"]
    assert (len(announced), entries[-1]["body"]["value"]) == (1, announced)


def test_customer_signs_and_the_office_reads_who(
    system: System, browser: Browser, van: Window, job: Job
) -> None:
    page = van.page
    ask(page, job, "SIG01")
    page.get_by_label("Signed by").fill("")
    main_button(page)
    expect(page.get_by_text("Enter the name of the person signing.")).to_be_visible()
    page.get_by_label("Signed by").fill("Ann Other")
    main_button(page)
    expect(page.get_by_text("There is no signature yet.")).to_be_visible()
    van.looked_at("phone-signature-problem")
    # of the tap before: it disappears as soon as somebody signs
    draw_signature(page)
    expect(page.get_by_text("There is no signature yet.")).to_have_count(0)
    page.get_by_label("Photo of a signature on paper").set_input_files(picture())
    expect(page.locator("img.camera-taken")).to_be_visible()
    van.looked_at("phone-signature-photo")
    # the page ends: the photo is still looked at
    page.reload()
    expect(page.locator("img.camera-taken")).to_be_visible()
    page.get_by_role("button", name="Take it again").click()
    page.get_by_label("Signed by").fill("Ann Other")
    draw_signature(page)
    take(page, picture())
    page.get_by_role("button", name="Take it again").click()
    expect(page.locator("canvas")).to_be_visible()
    main_button(page)
    page.wait_for_url(lambda url: "SIG01" not in url)
    until(lambda: len(stored(system, job, "SIG01")) == 1)

    office = at_desk(system, browser)
    office.page.goto(f"/board/jobs/{job['ours']}/")
    expect(office.page.get_by_text("Signed by Ann Other").first).to_be_visible()


def test_photo_in_hand_stays_while_another_is_taken(system: System, van: Window, job: Job) -> None:
    page = van.page
    ask(page, job, "PHO03")
    take(page, picture())
    first = page.locator("img.camera-taken")
    ask(page, job, "PHO02")
    take(page, picture(blurred=1))
    ask(page, job, "PHO03")

    expect(page.get_by_text(AGAIN)).to_be_visible()
    expect(first).to_be_visible()
    for code in ("PHO03", "PHO02"):
        ask(page, job, code)
        page.get_by_role("button", name=AGAIN).click()
        expect(page.get_by_text(AGAIN)).to_have_count(0)


def test_image_that_no_browser_reads_is_uploaded_unchanged(system: System, van: Window, job: Job) -> None:
    ask(van.page, job, "PHO04")
    take(van.page, {"name": "photo.heic", "mimeType": "image/heic", "buffer": HEIC.read_bytes()})
    expect(van.page.get_by_text("This phone can't show the photo")).to_be_visible()
    expect(van.page.get_by_role("button", name="Draw an arrow")).to_have_count(0)
    main_button(van.page)
    until(lambda: len(stored(system, job, "PHO04")) == 1)

    assert stored(system, job, "PHO04")[0]["content_type"] == "HEIF"


WAITING = """async () => {
  const folder = "/static/js/phone/app/";
  const [database, queue, pendingPhoto] = await Promise.all(
    ["database.js", "queue.js", "camera/pending_photo.js"].map((name) => import(folder + name)),
  );
  await database.openDatabaseOf("RACE");
  const taken = { id: crypto.randomUUID(), job: "one", question: "PHO01", bytes: new ArrayBuffer(8) };
  const ask = () => pendingPhoto.getPendingPhoto({ id: "one" }, { code: "PHO01" });
  await pendingPhoto.savePendingPhoto(taken);
  const before = (await ask())?.id === taken.id;
  await queue.add("photo_taken", "one", { photo_id: taken.id }, { picture: taken });
  const during = ask();
  await pendingPhoto.dropPendingPhoto(taken.id);
  const found = [before, await during, await ask()];
  await database.deleteDatabaseOf("RACE");
  return found;
}"""


def test_photo_that_is_used_while_its_page_is_drawn_is_not_in_hand(system: System, browser: Browser) -> None:
    window = open_window(browser, base_url=system.url, kind=PHONE)
    window.page.goto("/login/")

    assert window.page.evaluate(WAITING) == [True, None, None]
