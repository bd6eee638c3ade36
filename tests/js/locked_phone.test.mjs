// A locked phone: what it removes after a shift, and the file of what is only there, which it can still sign.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";

import { lies } from "./browser.mjs";
import { recordWithPhoto } from "../../static/js/phone/app/actions.js";
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

test("what is in the file stays as it is there, though its position comes later", async () => {
  await store.openDatabaseOf("NORA");
  let giveFix = () => {};
  const fix = new Promise((resolve) => (giveFix = () => resolve({ latitude: 53.8, longitude: -1.5, accuracy_metres: 8 })));
  const photo = { picture: { id: "p1", bytes: new ArrayBuffer(4), sha256: "" }, body: { photo_id: "p1", question: "PHO01" }, position: fix };
  await store.setValue("day", { ...DAY, matrices: {}, jobs: [{ id: "J1", answers: {} }] });
  await recordWithPhoto({ id: "J1" }, photo, {});
  assert.ok((await queue.rows())[0].hold_until > Date.now());

  const exported = JSON.parse(await (await buildExportFile({ engineer: "NORA", name: "Nora", export_key: KEY }, "v1")).text());
  giveFix();
  await new Promise((resolve) => setTimeout(resolve, 50));

  const [row] = await queue.rows();
  assert.deepEqual([row.entry, row.hold_until], [JSON.parse(exported.signed).entries[0].entry, 0]);
});

test("an engineer without a name is shown by staff number", async () => {
  await store.openDatabaseOf("OLA");

  assert.deepEqual(await carried.lockOwner("OLA", undefined), { engineer: "OLA", name: "OLA", export_key: "" });
});
