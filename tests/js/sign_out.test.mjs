// Signing out with a photo that is not used yet and half-typed words, all entries sent. (One sign-out for each file:
// who has left a page reads and writes nothing more there.)

import assert from "node:assert/strict";
import { test } from "node:test";

import { lies, page } from "./browser.mjs";
import * as carried from "../../static/js/phone/app/data_retention.js";
import { photoKey } from "../../static/js/phone/app/drafts.js";
import { signOut } from "../../static/js/phone/app/sign_out.js";
import * as store from "../../static/js/phone/app/database.js";

const ENGINEER = "ERIN";
const DAY = { name: "Erin", export_key: "ab".repeat(32), jobs: [{ id: "J1", state: "on_site", contact: "Mrs Customer" }, { id: "J2", state: "closed" }] };
const PHOTO = { id: "p1", job: "J1", question: "PHO 01", bytes: new ArrayBuffer(4) };

test("the pending photo and drafts stay, the jobs are deleted", async () => {
  await store.openDatabaseOf(ENGINEER);
  await store.setValue("day", DAY);
  await store.setValue(photoKey("J1", "PHO 01"), PHOTO);
  await store.setValue("draft /phone/jobs/J1/close/", { remarks: "The ladder" });
  await store.setValue("draft /phone/jobs/J1/question/CUS02/", { value: "" });
  await store.setValue("draft /phone/jobs/J2/close/?code=SP", { remarks: "Long since sent" });
  await store.write("queue", ({ queue }) => store.resultOf(queue.put({ state: "synced", entry: { kind: "on_site" } })));
  assert.deepEqual(await carried.listUnsent(), {
    entries: 0,
    begun: ["/phone/jobs/J1/close/", "/phone/jobs/J1/question/PHO%2001/"],
  });

  await signOut(ENGINEER);

  const left = lies(`phone-${ENGINEER}`);
  assert.deepEqual(left.queue, {});
  assert.equal(left.values.day, undefined);
  assert.deepEqual(left.values[photoKey("J1", "PHO 01")].id, "p1");
  assert.deepEqual(left.values["draft /phone/jobs/J1/close/"], { remarks: "The ladder" });
  assert.equal(left.values["draft /phone/jobs/J2/close/?code=SP"], undefined);
  assert.deepEqual(lies("current-engineer").values, { engineer: "" });
  assert.deepEqual(page.left, ["/login/?next=/phone/"]);
});
