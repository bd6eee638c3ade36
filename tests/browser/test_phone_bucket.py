"""Photos go from the phone straight into the bucket; where that is not possible, through the server. None is lost."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.phone import Start, come_back, go_to_site, one_job, rows
from tests.browser.story import USE_IT, until
from tests.servers import line as lines
from tests.servers import object_store
from tests.servers import system as systems
from tests.servers.browser import take_complaints, watched
from tests.servers.line import Line
from tests.servers.object_store import BUCKET
from tests.servers.phone import kept_rows, open_app, wait_until_safe
from tests.servers.system import ROOT, System

HAS_OWN_SYSTEM = True
pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(600),
]
KEYS = {"AWS_ACCESS_KEY_ID": object_store.KEY_ID, "AWS_SECRET_ACCESS_KEY": object_store.SECRET}
RULES = ROOT / "deploy" / "evidence-cors.json"
NO_PUTS = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Deny",
            "Principal": "*",
            "Action": "s3:PutObject",
            "Resource": f"arn:aws:s3:::{BUCKET}/incoming/*",
        }
    ],
}


class BucketSystem(NamedTuple):
    system: System
    road: Line
    bucket: Any


@pytest.fixture(scope="module")
def road(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Line]:
    """The way to the bucket, for the phones and for the server."""
    folder = tmp_path_factory.mktemp("bucket") / "kept"
    folder.mkdir()
    with object_store.running("moto", folder) as address, lines.to(_endpoint(address)) as road:
        yield road


def _endpoint(address: str) -> str:
    return address.partition("endpoint=")[2].partition("&")[0]


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, road: Line) -> Iterator[System]:
    url = f"s3://{BUCKET}?endpoint={road.url}&region=us-east-1&direct=yes"
    folder = tmp_path_factory.mktemp("system")
    with systems.running(folder, EVIDENCE_STORAGE_URL=url, **KEYS) as running:
        yield running


@pytest.fixture
def bucket(road: Line, line: Line) -> Any:
    """As docs/operating.md says: the rules are those of deploy/, with the phones' own origin."""
    owner = object_store.client(f"http://{road.host}:{road.port}")
    rules = json.loads(RULES.read_text())
    rules["CORSRules"][0]["AllowedOrigins"] = [line.url]
    owner.put_bucket_cors(Bucket=BUCKET, CORSConfiguration=rules)
    owner.delete_bucket_policy(Bucket=BUCKET)
    road.restore()
    return owner


@pytest.fixture
def bucket_system(system: System, road: Line, bucket: Any) -> BucketSystem:
    return BucketSystem(system, road, bucket)


def objects(bucket: Any, prefix: str = "") -> list[str]:
    found = bucket.list_objects_v2(Bucket=BUCKET, Prefix=prefix).get("Contents", [])
    return [item["Key"] for item in found]


def sent_by(page: Page) -> list[str]:
    """Where this page puts photos, as the requests begin."""
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "PUT" else None)
    return sent


def keep_a_photo(page: Page, job: dict[str, str], photo: Path) -> dict[str, Any]:
    """By hand: taken, looked at, used. Returns what the phone wrote down of it."""
    open_app(page, f"/phone/jobs/{job['ours']}/question/PHO01/")
    page.locator("#photo").set_input_files(photo)
    page.get_by_role("button", name=USE_IT).click()
    page.wait_for_url(lambda url: "PHO01" not in url)
    (row,) = [row for row in kept_rows(page) if row["photo"]]
    body: dict[str, Any] = row["entry"]["body"]
    return body


def as_stored_on_server(system: System, payload: dict[str, Any], bucket: Any) -> dict[str, Any]:
    """Once, under the hash that the phone sent, and the bucket holds what the server knows."""
    until(lambda: bool(photos(system, payload)))
    (photo,) = photos(system, payload)
    assert photo["sha256"] == payload["sha256"]
    # its thumbnail may lie beside it by now
    (path,) = [key for key in objects(bucket) if key.endswith(f"/{payload['photo_id']}.jpg")]
    content = bucket.get_object(Bucket=BUCKET, Key=path)["Body"].read()
    assert hashlib.sha256(content).hexdigest() == photo["stored_sha256"]
    assert objects(bucket, "incoming/") == []
    return photo


def photos(system: System, payload: dict[str, Any]) -> list[dict[str, Any]]:
    query = "select * from closures_photo where id = ? and stored_at is not null"
    return rows(system, query, payload["photo_id"].replace("-", ""))


def test_photo_is_uploaded_directly_to_the_bucket(
    bucket_system: BucketSystem, start: Start, photo: Path
) -> None:
    system, road, bucket = bucket_system
    job = one_job(system, "straight", 501)
    page = start("straight").page
    window, sent = watched(page), sent_by(page)
    go_to_site(page, job)
    rows = keep_a_photo(page, job, photo)
    wait_until_safe(page)

    as_stored_on_server(system, rows, bucket)
    assert [url.split("?")[0] for url in sent] == [f"{road.url}/{BUCKET}/incoming/{rows['photo_id']}"]
    expect(page.locator("[data-status]")).to_contain_text("All sent")
    assert window.complaints == []


def test_page_reaches_the_server_and_the_bucket_only(start: Start, system: System, road: Line) -> None:
    one_job(system, "policy", 502)
    page = start("policy").page
    policies = {
        page.evaluate("async (url) => (await fetch(url)).headers.get('content-security-policy')", url)
        for url in ("/phone/", "/phone/shell/?language=en-gb", "/phone/shell/?language=de")
    }

    assert {_connect(policy) for policy in policies} == {f"'self' {road.url}"}
    cached = page.evaluate(
        "async () => (await caches.match('/phone/shell/?language=en-gb', {ignoreVary: true}))"
        ".headers.get('content-security-policy')"
    )
    assert _connect(cached) == f"'self' {road.url}"


def _connect(policy: str) -> str:
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";") if " " in part.strip())
    return directives["connect-src"]


def without_rules(_page: Page, _road: Line, bucket: Any) -> None:
    bucket.delete_bucket_cors(Bucket=BUCKET)


def rules_for_another_origin(_page: Page, _road: Line, bucket: Any) -> None:
    bucket.put_bucket_cors(Bucket=BUCKET, CORSConfiguration=json.loads(RULES.read_text()))


def refuses_puts(_page: Page, _road: Line, bucket: Any) -> None:
    bucket.put_bucket_policy(Bucket=BUCKET, Policy=json.dumps(NO_PUTS))


def not_reached_from_here(page: Page, road: Line, _bucket: Any) -> None:
    """The server reaches it, the phone's network does not let it through."""
    page.context.route(f"{road.url}/**", lambda route: route.abort("connectionrefused"))


WRONG = [without_rules, rules_for_another_origin, refuses_puts, not_reached_from_here]


@pytest.mark.parametrize("number", range(len(WRONG)), ids=[rule.__name__ for rule in WRONG])
def test_bucket_that_refuses_the_phone_gets_the_photo_from_the_server(
    bucket_system: BucketSystem, start: Start, photo: Path, number: int
) -> None:
    system, road, bucket = bucket_system
    job = one_job(system, f"refused{number}", 510 + number)
    page = start(f"refused{number}").page
    sent = sent_by(page)
    go_to_site(page, job)
    WRONG[number](page, road, bucket)
    rows = keep_a_photo(page, job, photo)
    wait_until_safe(page)

    as_stored_on_server(system, rows, bucket)
    assert [url.rpartition("/")[2].split("?")[0] for url in sent] == [rows["photo_id"]] * 2
    assert "/incoming/" in sent[0]
    assert "/phone/photos/" in sent[1]
    # the browser says which rule of the bucket refused it, and nothing else is wrong
    assert [rule for rule in take_complaints() if "CORS policy" not in rule] == []


def _is_photo_for_server(request: Request) -> bool:
    return request.method == "PUT" and "/phone/photos/" in request.url


def test_photo_waits_on_the_phone_while_the_bucket_is_down(
    bucket_system: BucketSystem, start: Start, photo: Path
) -> None:
    system, road, bucket = bucket_system
    job = one_job(system, "patient", 507)
    page = start("patient").page
    go_to_site(page, job)
    wait_until_safe(page)
    road.cut()
    through_server = page.expect_event("requestfinished", _is_photo_for_server)
    with through_server as answered:
        rows = keep_a_photo(page, job, photo)
    answer = answered.value.response()
    assert answer is not None
    assert answer.status >= 500
    expect(page.locator("[data-status]")).to_contain_text("waiting to send")
    assert photos(system, rows) == []

    road.restore()
    come_back(page)
    wait_until_safe(page, seconds=120)
    as_stored_on_server(system, rows, bucket)
