// Signing out after a closing with remarks: what was typed for a job that was closed leaves nothing of the engineer here.

import assert from "node:assert/strict";
import { test } from "node:test";

import { databases, lies } from "./browser.mjs";
import { listUnsent } from "../../static/js/phone/app/data_retention.js";
import * as store from "../../static/js/phone/app/database.js";
import { photoKey, purgeDrafts } from "../../static/js/phone/app/drafts.js";
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

test("text and photos of jobs that were closed are nothing unfinished, and the database goes", async () => {
  await store.openDatabaseOf("ERIN");
  await store.setValue("draft /phone/jobs/J1/close/?code=SP", { remarks: "Sent with the closing" });
  await store.setValue(photoKey("J2", "PHO01"), { id: "p1", job: "J2", question: "PHO01", bytes: new ArrayBuffer(4) });
  assert.equal((await listUnsent()).begun.length, 2, "no day has come: nobody knows of which jobs it is");

  await store.setValue("day", { name: "Erin", jobs: [{ id: "J1", state: "closed" }], broken: [{ id: "J2", words: "" }] });
  assert.deepEqual((await listUnsent()).begun, ["/phone/jobs/J2/question/PHO01/"], "J2 is still this engineer's");
  await store.setValue("day", { name: "Erin", jobs: [{ id: "J1", state: "closed" }], gone: [{ id: "J2", rule: "taken_off" }] });
  assert.deepEqual((await listUnsent()).begun, ["/phone/jobs/J2/question/PHO01/"], "J2 may come back");
  await store.setValue("day", { name: "Erin", jobs: [{ id: "J1", state: "closed" }] });
  assert.deepEqual((await listUnsent()).begun, ["/phone/jobs/J2/question/PHO01/"], "nobody else has it");
  await store.setValue("day", { name: "Erin", jobs: ["J1", "J2"].map((id) => ({ id, state: "closed", notices: [{ rule: "closed_by_office" }] })) });
  assert.equal((await listUnsent()).begun.length, 2, "not closed by who began it");
  await store.setValue("day", { name: "Erin", jobs: ["J1", "J2"].map((id) => ({ id, state: "closed" })) });
  assert.deepEqual(await listUnsent(), { entries: 0, begun: [] });

  await signOut("ERIN");
  assert.equal(databases.has("phone-ERIN"), false);
});
