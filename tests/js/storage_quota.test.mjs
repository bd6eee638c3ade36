// How much room the phone has: only what the browser says counts.

import assert from "node:assert/strict";
import { test } from "node:test";

import { measureStorage } from "../../static/js/phone/app/storage_quota.js";

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
