// A locked phone: what it removes after a shift, and the file of what is only there, which it can still sign.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";

import { lies } from "./browser.mjs";
import * as carried from "../../static/js/phone/app/data_retention.js";
import * as queue from "../../static/js/phone/app/queue.js";
import { buildExportFile } from "../../static/js/phone/app/offline_export.js";
import * as store from "../../static/js/phone/app/database.js";

const HOUR = 3600_000;
const KEY = "0123456789abcdef".repeat(4);
const DAY = { name: "Erin", export_key: KEY, jobs: [{ id: "J1" }] };

async function signedRight(owner) {
  const exported = JSON.parse(await (await buildExportFile(owner, "v1")).text());
  assert.equal(JSON.parse(exported.signed).entries.length, 1);
  return exported.signature === createHmac("sha256", Buffer.from(KEY, "hex")).update(exported.signed).digest("hex");
}

test("its file is signed while the jobs are there and after they were removed", async () => {
  await store.openDatabaseOf("ERIN");
  await store.setValue("day", DAY);
  await queue.add("en_route", "J1", {});
  await carried.lock(1);
  const locked = await carried.lockOwner("ERIN", await store.getValue("day"));
  assert.deepEqual(locked, { engineer: "ERIN", name: "Erin", export_key: KEY });
  assert.ok(await signedRight(locked));

  await carried.purgeExpired(1 + 12 * HOUR);
  assert.ok(lies("phone-ERIN").values.day);
  await carried.purgeExpired(2 + 12 * HOUR);

  assert.equal(lies("phone-ERIN").values.day, undefined);
  const own = await carried.lockOwner("ERIN", await store.getValue("day"));
  assert.deepEqual(own, locked);
  assert.ok(await signedRight(own));
});

test("an engineer without a name is shown by staff number", async () => {
  await store.openDatabaseOf("OLA");

  assert.deepEqual(await carried.lockOwner("OLA", undefined), { engineer: "OLA", name: "OLA", export_key: "" });
});
