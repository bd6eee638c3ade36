// How much room the phone has: only what the browser says counts.

import assert from "node:assert/strict";
import { test } from "node:test";

import { lies } from "./browser.mjs";
import { StorageFull, openDatabaseOf, setValue, write } from "../../static/js/phone/app/database.js";
import { measureStorage, offerReserve, storage } from "../../static/js/phone/app/storage_quota.js";

async function leftOf(estimate) {
  const navigator = { storage: { estimate: async () => estimate } };
  Object.defineProperty(globalThis, "navigator", { value: navigator, configurable: true });
  return (await measureStorage()).left;
}

test("the space left is the quota less what is used", async () => {
  assert.equal(await leftOf({ quota: 900_000_000, usage: 100_000_000 }), 800_000_000);
});

test("a browser that does not say how much is used has all of its quota left", async () => {
  assert.equal(await leftOf({ quota: 900_000_000 }), 900_000_000);
});

test("nobody knows what is left where the browser gives no quota, or the same to every page", async () => {
  assert.equal(await leftOf({}), null);
  assert.equal(await leftOf({ quota: 10 * 2 ** 30 + 7, usage: 7 }), null);
});

test("the space that an earlier page reserved is there for the first write of this one", async () => {
  await openDatabaseOf("ERIN");
  await setValue("reserve", new ArrayBuffer(12));
  offerReserve();
  // no room, as long as the reserve is there
  const put = (store) => {
    if (lies("phone-ERIN").values.reserve) throw new DOMException("full", "QuotaExceededError");
    return store.put("Erin", "name");
  };
  await write("values", ({ values }) => put(values));

  assert.deepEqual([Object.keys(lies("phone-ERIN").values), storage.low], [["name"], true]);
  const full = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  await assert.rejects(write("values", full), StorageFull);
});
