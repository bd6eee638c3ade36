// Signing out with a photo that is not used yet and half-typed words, all entries sent. (One sign-out for each file:
// who has left a page reads and writes nothing more there.)

import assert from "node:assert/strict";
import { test } from "node:test";

import { lies, page } from "./browser.mjs";
import * as carried from "../../static/js/phone/app/data_retention.js";
import { signOut } from "../../static/js/phone/app/sign_out.js";
import * as store from "../../static/js/phone/app/database.js";

const ENGINEER = "ERIN";
const DAY = { name: "Erin", export_key: "ab".repeat(32), jobs: [{ id: "J1", contact: "Mrs Customer" }] };
const PHOTO = { id: "p1", job: "J1", question: "PHO 01", bytes: new ArrayBuffer(4) };

test("photo in hand and half-typed words stay, the jobs go", async () => {
  await store.useDatabaseOf(ENGINEER);
  await store.keep("day", DAY);
  await store.keep("photo taken", PHOTO);
  await store.keep("draft /phone/jobs/J1/close/", { remarks: "The ladder" });
  await store.keep("draft /phone/jobs/J1/question/CUS02/", { value: "" });
  await store.write("queue", ({ queue }) => store.asked(queue.put({ state: "safe", entry: { kind: "on_site" } })));
  assert.deepEqual(await carried.unsentHere(), {
    entries: 0,
    begun: ["/phone/jobs/J1/close/", "/phone/jobs/J1/question/PHO%2001/"],
  });

  await signOut(ENGINEER);

  const left = lies(`phone-${ENGINEER}`);
  assert.deepEqual(left.queue, {});
  assert.equal(left.kept.day, undefined);
  assert.deepEqual(left.kept["photo taken"].id, "p1");
  assert.deepEqual(left.kept["draft /phone/jobs/J1/close/"], { remarks: "The ladder" });
  assert.deepEqual(lies("whose-phone").kept, { engineer: "" });
  assert.deepEqual(page.left, ["/login/?next=/phone/"]);
});
