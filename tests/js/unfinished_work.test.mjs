// What was begun for jobs that are no longer the engineer's is found again, and can be sent as evidence.

import assert from "node:assert/strict";
import { test } from "node:test";

import { databases, lies } from "./browser.mjs";
import { textOf } from "./elements.mjs";
import { openDatabaseOf, setValue } from "../../static/js/phone/app/database.js";
import { photoKey, purgeDrafts } from "../../static/js/phone/app/drafts.js";
import { rememberEngineer } from "../../static/js/phone/app/known_engineers.js";
import { unfinishedSection } from "../../static/js/phone/app/screens/unfinished_section.js";
import { deleteWork, listUnfinishedWork, mayComeBack, pageOf, sendWork, tapFor } from "../../static/js/phone/app/unfinished_work.js";

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

const pages = async (day) => (await listUnfinishedWork(day)).map((work) => Object.values(pageOf(work)).join(" "));

test("what was begun for a job that was taken off is listed the next day, and after signing in again", async () => {
  await begin("ERIN");
  const all = ["J 2 close ", "J 2 hand-over ", "J 2 question WRK01", "J 2 question PHO01"];
  assert.deepEqual(await pages({ ...DAY, gone: [{ id: "J 2", rule: "taken_off" }] }), all);

  await purgeDrafts(DAY);
  assert.deepEqual(await pages(DAY), all);
  const ended = { ...DAY, jobs: [...DAY.jobs, { id: "J 2", state: "cancelled", notices: [{ rule: "cancelled" }], page: {} }] };
  assert.deepEqual(await pages(ended), all);
  const text = textOf(unfinishedSection(await listUnfinishedWork(DAY), DAY));
  for (const part of [/Remarks for the seller.*The dog/, /Request a handover.*No ladder/, /Photo: PHO01/, /Answer to question WRK01.*In the lo/, /Job J 2, not on this phone/]) assert.match(text, part);
});

test("photo, answer and request are sent, each once; a closing is not", async () => {
  await begin("SAM");
  const work = await listUnfinishedWork(DAY);
  const taps = work.map(tapFor);
  assert.equal(taps[0], null);
  for (const [at, tap] of taps.entries()) if (tap) await sendWork(work[at], tap);

  const { queue, photos } = lies("phone-SAM");
  assert.deepEqual(Object.values(queue).map(({ entry }) => [entry.job, entry.kind, entry.body]), [
    ["J 2", "handover_requested", { reason: "No ladder" }],
    ["J 2", "answered", { question: "WRK01", value: "In the lo" }],
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
