// What was begun for jobs that are no longer the engineer's is found again, and can be sent as evidence.

import assert from "node:assert/strict";
import { test } from "node:test";

import { databases, lies } from "./browser.mjs";
import { tap, textOf } from "./elements.mjs";
import { purgeDrafts } from "../../static/js/phone/app/data_retention.js";
import { openDatabaseOf, setValue } from "../../static/js/phone/app/database.js";
import { photoKey } from "../../static/js/phone/app/drafts.js";
import { rememberEngineer } from "../../static/js/phone/app/known_engineers.js";
import { unfinishedSection } from "../../static/js/phone/app/screens/unfinished_section.js";
import { deleteWork, listUnfinishedWork, mayComeBack, pageOf, readCards, sendWork, tapFor } from "../../static/js/phone/app/unfinished_work.js";

const DAY = { engineer: "ERIN", name: "Erin", jobs: [{ id: "J1", state: "on_site" }], matrices: {}, gone: [] };
const PHOTO = { id: "p1", job: "J 2", question: "PHO01", bytes: new ArrayBuffer(4), sha256: "ab", source: "camera", taken_at: "2026-11-30T09:00:00Z", checks: { blur: true } };

async function begin(engineer) {
  await openDatabaseOf(engineer);
  rememberEngineer(engineer);
  await setValue(photoKey("J 2", "PHO01", "p1"), PHOTO);
  await setValue("draft /phone/jobs/J%202/question/WRK01/", { value: "In the lo" });
  await setValue("draft /phone/jobs/J%202/hand-over/", { reason: "No ladder" });
  await setValue("draft /phone/jobs/J%202/close/?code=NAC", { remarks: "The dog" });
  await setValue("draft /phone/jobs/J1/question/WRK01/", { value: "has a page" });
}

const cards = async (day) => readCards(await listUnfinishedWork(day));
const pages = async (day) => (await listUnfinishedWork(day)).map((work) => Object.values(pageOf(work)).join(" "));

test("what was begun for a job that was taken off is listed the next day, and after signing in again", async () => {
  await begin("ERIN");
  const all = ["J 2 close ", "J 2 hand-over ", "J 2 question WRK01", "J 2 question PHO01"];
  assert.deepEqual(await pages({ ...DAY, gone: [{ id: "J 2", rule: "unassigned" }] }), all);

  await purgeDrafts(DAY);
  assert.deepEqual(await pages(DAY), all);
  const ended = { ...DAY, jobs: [...DAY.jobs, { id: "J 2", state: "cancelled", notices: [{ rule: "cancelled" }], page: {} }] };
  assert.deepEqual(await pages(ended), all);
  const text = textOf(unfinishedSection(await cards(DAY), DAY));
  for (const part of [/Remarks for the seller.*The dog/, /Request a handover.*No ladder/, /Photo: PHO01/, /Answer to question WRK01.*In the lo/, /Job J 2, not on this phone/]) assert.match(text, part);
});

test("photo, answer and request are sent, each once; a closing is not", async () => {
  await begin("SAM");
  const work = await cards(DAY);
  const taps = work.map(tapFor);
  assert.equal(taps[0], null);
  // another tab taps, too, and a page that ended asks again
  for (const [at, tap] of [...taps.entries(), ...taps.entries()]) if (tap) await sendWork(work[at], tap);

  const { queue, photos } = lies("phone-SAM");
  assert.deepEqual(Object.values(queue).map(({ entry }) => [entry.job, entry.kind, entry.body]), [
    ["J 2", "handover_requested", { reason: "No ladder", unfinished: true }],
    ["J 2", "answered", { question: "WRK01", value: "In the lo", unfinished: true }],
    ["J 2", "photo_taken", { photo_id: "p1", question: "PHO01", sha256: "ab", taken_at: PHOTO.taken_at, source: "camera", checks: { blur: true, used_anyway: true }, original_sha256: "" }],
  ]);
  assert.equal(Object.values(photos).length, 1);
  assert.deepEqual(await pages(DAY), ["J 2 close "]);
  await deleteWork(work[0]);
  assert.deepEqual(await pages(DAY), []);
  assert.equal(databases.has("phone-SAM"), true);
});

test("work for a visit that was only moved is not sent: its page comes back", () => {
  const work = { address: "/phone/jobs/J%202/close/" };
  assert.equal(mayComeBack(work, { gone: [{ id: "J 2", rule: "new_time" }] }), true);
  assert.equal(mayComeBack(work, { broken: [{ id: "J 2" }] }), true);
  assert.equal(mayComeBack(work, { gone: [{ id: "J 2", rule: "reassigned" }] }), false);
});

test("what the server would refuse is not sent, and the rest without blanks around it", () => {
  const sends = (page, draft) => tapFor({ address: `/phone/jobs/J1/${page}/`, draft, photo: null })?.body ?? null;
  for (const reason of [" ", "x".repeat(501)]) assert.equal(sends("hand-over", { reason }), null);
  assert.equal(sends("hand-over", { reason: ` ${"x".repeat(500)} ` }).reason.length, 500);
  assert.equal(sends("question/WRK01", { value: " loft " }).value, "loft");
  for (const value of ["  ", "x".repeat(2001), "\0"]) assert.equal(sends("question/WRK01", { value }), null);
});

test("whoever accompanies the colleague at the job by now finds what was begun before", async () => {
  await begin("ALMA");
  const day = (job) => ({ ...DAY, jobs: [...DAY.jobs, { id: "J 2", state: "on_site", ...job }] });
  assert.deepEqual(await pages(day({})), []);
  assert.equal((await pages(day({ team: { is_second: true, name: "Bob" } }))).length, 4);
  assert.equal((await pages(day({ team: { is_second: true, name: "Bob" }, state: "closed" }))).length, 4);
});

test("no photo is read to count what is unfinished", async () => {
  await begin("NORA");
  // nothing can read a function back
  databases.get("phone-NORA").get("values").values.set(photoKey("J 2", "PHO01", "p1"), () => {});
  assert.equal((await pages(DAY)).length, 4);
  await purgeDrafts(DAY);
  await assert.rejects(cards(DAY));
});

test("the only copy is deleted after a question", async () => {
  await begin("TINA");
  const section = async () => unfinishedSection((await cards(DAY)).slice(0, 1), DAY);
  await tap(await section(), "Delete");
  assert.match(textOf(await section()), /Delete it\? Nobody else has it\./);
  await tap(await section(), "Cancel");
  assert.doesNotMatch(textOf(await section()), /Delete it/);
  assert.equal((await pages(DAY)).length, 4);

  await tap(await section(), "Delete");
  await tap(await section(), "Delete for good");
  assert.deepEqual(await pages(DAY), ["J 2 hand-over ", "J 2 question WRK01", "J 2 question PHO01"]);
});
