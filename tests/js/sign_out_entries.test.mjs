// Signing out with entries that the office does not have: they stay under their engineer's name, the jobs go.

import assert from "node:assert/strict";
import { test } from "node:test";

import { lies } from "./browser.mjs";
import { lockOwner, listUnsent } from "../../static/js/phone/app/data_retention.js";
import { signOut } from "../../static/js/phone/app/sign_out.js";
import { listOthersWithUnsent, rememberEngineer } from "../../static/js/phone/app/known_engineers.js";
import * as queue from "../../static/js/phone/app/queue.js";
import * as store from "../../static/js/phone/app/database.js";

const ENGINEER = "ERIN";
const DAY = { name: "Erin", export_key: "ab".repeat(32), clock_words: "", jobs: [{ id: "J1", contact: "Mrs Customer" }] };

test("entries stay without the jobs, and their file can still be signed", async () => {
  await store.openDatabaseOf(ENGINEER);
  rememberEngineer(ENGINEER);
  await store.setValue("day", DAY);
  await queue.add("en_route", "J1", {});
  assert.deepEqual(await listUnsent(), { entries: 1, begun: [] });
  const { export_key: key } = await lockOwner(ENGINEER, DAY);
  assert.equal(key, DAY.export_key);

  await signOut(ENGINEER);

  const left = lies(`phone-${ENGINEER}`);
  assert.deepEqual(Object.values(left.queue).map(({ state, entry }) => [state, entry.kind]), [["pending", "en_route"]]);
  assert.deepEqual(left.values, { name: "Erin", export_key: DAY.export_key });
  assert.deepEqual(await listOthersWithUnsent("OLA"), [{ engineer: ENGINEER, name: "Erin", entries: 1 }]);
});
