// Signing out after a closing with remarks: what was typed for a job that was closed leaves nothing of the engineer here. A
// photo that is neither kept nor deleted does.

import assert from "node:assert/strict";
import { test } from "node:test";

import { databases, lies } from "./browser.mjs";
import { listUnsent, purgeDrafts, purgeOwn } from "../../static/js/phone/app/data_retention.js";
import * as store from "../../static/js/phone/app/database.js";
import { photoKey } from "../../static/js/phone/app/drafts.js";
import { signOut } from "../../static/js/phone/app/sign_out.js";

test("of a job that has left the phone what holds no work goes", async () => {
  await store.openDatabaseOf("SAM");
  for (const job of ["J1", "J2", "J 3"]) {
    await store.setValue(photoKey(job, "PHO01"), { id: job, job, question: "PHO01" });
    await store.setValue(`draft /phone/jobs/${encodeURIComponent(job)}/close/`, { remarks: "x" });
    await store.setValue(`draft /phone/jobs/${encodeURIComponent(job)}/close/?code=NAC`, { remarks: "Long since sent", sent: "yes" });
    await store.setValue(`draft /phone/jobs/${encodeURIComponent(job)}/scan/`, { source: "typed", typed_over: "", fsan: "" });
  }
  await store.setValue("draft /phone/me/", { language: "de" });
  await purgeDrafts({ jobs: [{ id: "J1" }], broken: [{ id: "J 3", words: "" }] });

  const left = Object.keys(lies("phone-SAM").values).filter((key) => key.includes("/phone/"));
  const expected = ["J%203", "J1"].flatMap((job) => ["close/", "close/?code=NAC", "scan/"].map((page) => `draft /phone/jobs/${job}/${page}`));
  const photos = ["J 3", "J1", "J2"].map((job) => photoKey(job, "PHO01"));
  assert.deepEqual(left.sort(), [...expected, "draft /phone/jobs/J2/close/", "draft /phone/me/", ...photos]);
});

test("drafts of a job that its engineer closed go with the day that says so, and are not announced the next day", async () => {
  await store.openDatabaseOf("VERA");
  const skipped = "draft /phone/jobs/J1/question/CUS02/";
  await store.setValue(skipped, { value: "Optional, skipped" });
  await store.setValue("draft /phone/jobs/J1/close/?code=NAC", { remarks: "Of another outcome" });
  await store.setValue(photoKey("J1", "PHO01", "p1"), { id: "p1", job: "J1", question: "PHO01" });
  const job = { id: "J1", state: "closed" };
  const left = () => Object.keys(lies("phone-VERA").values);
  for (const other of [{ team: { is_second: true } }, { notices: [{ rule: "closed_by_office" }] }, { state: "on_site" }]) {
    await purgeDrafts({ jobs: [{ ...job, ...other }] });
    assert.equal(left().includes(skipped), true, JSON.stringify(other));
  }

  await purgeDrafts({ jobs: [job] });
  assert.deepEqual(left(), [photoKey("J1", "PHO01", "p1")]);
});

test("work of whoever accompanies the colleague at the job by now survives the colleague's closing", async () => {
  await store.openDatabaseOf("SVEN");
  await store.setValue("draft /phone/jobs/J1/question/WRK01/", { value: "In the lo" });
  await store.setValue("day", { name: "Sven", jobs: [{ id: "J1", state: "closed", team: { is_second: true, name: "Bob" } }] });
  assert.equal((await listUnsent()).begun.length, 1);

  await purgeOwn();
  assert.equal(Object.keys(lies("phone-SVEN").values).includes("draft /phone/jobs/J1/question/WRK01/"), true);
});

test("text of jobs that were closed is nothing unfinished, and the database goes", async () => {
  await store.openDatabaseOf("ERIN");
  await store.setValue("draft /phone/jobs/J1/close/?code=SP", { remarks: "Sent with the closing" });
  await store.setValue(photoKey("J2", "PHO01"), { id: "p1", job: "J2", question: "PHO01", bytes: new ArrayBuffer(4) });
  assert.equal((await listUnsent()).begun.length, 2, "no day has come: nobody knows of which jobs it is");

  await store.setValue("day", { name: "Erin", jobs: [{ id: "J1", state: "closed" }], broken: [{ id: "J2", words: "" }] });
  assert.deepEqual((await listUnsent()).begun, ["/phone/jobs/J2/question/PHO01/"], "J2 is still this engineer's");
  await store.setValue("day", { name: "Erin", jobs: [{ id: "J1", state: "closed" }], gone: [{ id: "J2", rule: "unassigned" }] });
  assert.deepEqual((await listUnsent()).begun, ["/phone/jobs/J2/question/PHO01/"], "J2 may come back");
  await store.setValue("day", { name: "Erin", jobs: [{ id: "J1", state: "closed" }] });
  assert.deepEqual((await listUnsent()).begun, ["/phone/jobs/J2/question/PHO01/"], "nobody else has it");
  await store.setValue("day", { name: "Erin", jobs: ["J1", "J2"].map((id) => ({ id, state: "closed", notices: [{ rule: "closed_by_office" }] })) });
  assert.equal((await listUnsent()).begun.length, 2, "not closed by who began it");
  await store.setValue("day", { name: "Erin", jobs: ["J1", "J2"].map((id) => ({ id, state: "closed" })) });
  assert.deepEqual((await listUnsent()).begun, ["/phone/jobs/J2/question/PHO01/"], "a photo is somebody's to delete");

  await store.write("values", ({ values }) => store.resultOf(values.delete(photoKey("J2", "PHO01"))));
  assert.deepEqual(await listUnsent(), { entries: 0, begun: [] });
  await signOut("ERIN");
  assert.equal(databases.has("phone-ERIN"), false);
});
