// Which drafts stay on the phone when a new day arrives.

import "./browser.mjs";

import assert from "node:assert/strict";
import { test } from "node:test";

import { purgeDrafts } from "../../static/js/phone/app/data_retention.js";
import { openDatabaseOf, read, resultOf, setValue } from "../../static/js/phone/app/database.js";
import { isWork, listBegun, photoKey, saveDraft, saveSentDraft } from "../../static/js/phone/app/drafts.js";

test("a draft stays while its job is here, also one that the server cannot show today", async () => {
  await openDatabaseOf("drafts");
  for (const job of ["J-1", "J-2"]) await saveDraft(`/phone/jobs/${job}/close/`, { remarks: "No access." });
  await saveDraft("/phone/jobs/J-3/close/", { remarks: "" });

  await purgeDrafts({ jobs: [{ id: "J-1" }], broken: [{ id: "J-2", words: "This job can't be shown." }] });

  const keys = await read("values", ({ values }) => resultOf(values.getAllKeys()));
  assert.deepEqual(keys.toSorted(), ["draft /phone/jobs/J-1/close/", "draft /phone/jobs/J-2/close/"]);
});

test("what was begun for a job that the office took off the list stays while the server lists it there", async () => {
  await openDatabaseOf("unassigned");
  await saveDraft("/phone/jobs/J%204/question/WRK01/", { value: "In the lo" });
  await setValue(photoKey("J 4", "PHO01"), { id: "p1", job: "J 4", question: "PHO01" });
  const keys = () => read("values", ({ values }) => resultOf(values.getAllKeys()));

  await purgeDrafts({ jobs: [], gone: [{ id: "J 4", rule: "unassigned" }] });
  assert.deepEqual((await keys()).toSorted(), ["draft /phone/jobs/J%204/question/WRK01/", photoKey("J 4", "PHO01")]);

  await purgeDrafts({ jobs: [{ id: "J 4" }], gone: [] });
  assert.equal((await keys()).length, 2, "it came back");

  await purgeDrafts({ jobs: [], gone: [] });
  assert.equal((await keys()).length, 2, "nobody else has it");
});

test("a draft that was sent is none that somebody began, until it is changed", async () => {
  await openDatabaseOf("sent");
  const begun = () => read("values", async ({ values }) => (await listBegun(values)).filter(isWork).map(({ draft }) => draft));
  await saveSentDraft("/phone/jobs/J5/close/?code=SP", { remarks: "Done." });
  assert.deepEqual(await begun(), []);

  await saveDraft("/phone/jobs/J5/close/?code=SP", { remarks: "Done. And the gate." });
  assert.deepEqual(await begun(), [{ remarks: "Done. And the gate." }]);
});

test("remarks of a closing that the office reviews stay: it may be sent back", async () => {
  await openDatabaseOf("review");
  const job = { id: "J-1", state: "closed" };
  await saveSentDraft("/phone/jobs/J-1/close/", { remarks: "No access." });
  const keys = () => read("values", ({ values }) => resultOf(values.getAllKeys()));

  await purgeDrafts({ jobs: [{ ...job, in_review: true }] });
  assert.deepEqual(await keys(), ["draft /phone/jobs/J-1/close/"]);

  await purgeDrafts({ jobs: [{ ...job, in_review: false }] });
  assert.deepEqual(await keys(), []);
});
