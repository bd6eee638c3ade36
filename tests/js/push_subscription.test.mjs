// The browser's subscription belongs to the engineer who turned it on here, and the server is sent it again.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { json, server } from "./browser.mjs";
import { openDatabaseOf } from "../../static/js/phone/app/database.js";

let subscription = null;
const pushManager = {
  getSubscription: async () => subscription,
  subscribe: async () => (subscription = { unsubscribe: async () => void (subscription = null), toJSON: () => ({ endpoint: "e" }) }),
};
const serviceWorker = { getRegistration: async () => ({ pushManager }), ready: Promise.resolve({ pushManager }) };
Object.defineProperty(globalThis, "navigator", { value: { serviceWorker }, configurable: true });
globalThis.Notification = { requestPermission: async () => "granted" };
server.answers = () => json({ public_key: "AAAA" });

// Each page has a module of its own.
let pages = 0;
const newPage = () => import(`../../static/js/phone/app/push_subscription.js?page=${(pages += 1)}`);
const posted = () => server.asked.filter(({ method }) => method === "POST").map(({ path }) => path);

async function pageOf(engineer) {
  await openDatabaseOf(engineer);
  server.asked.length = 0;
  return newPage();
}

beforeEach(async () => {
  subscription = null;
  await (await pageOf("ERIN")).subscribe();
});

test("whoever has turned notifications on is subscribed again at each start, once", async () => {
  const page = await pageOf("ERIN");
  await page.renewSubscription();
  await page.renewSubscription();

  assert.deepEqual([posted(), await page.isSubscribed()], [["/phone/push"], true]);
});

test("without signal it is tried again", async () => {
  const page = await pageOf("ERIN");
  server.answers = () => {
    throw new TypeError("no signal");
  };
  await assert.rejects(page.renewSubscription());
  server.answers = () => json({ public_key: "AAAA" });
  await page.renewSubscription();

  assert.equal(posted().length, 2);
});

test("the subscription of another engineer ends, and is not shown as one's own", async () => {
  const page = await pageOf("SAM");
  assert.equal(await page.isSubscribed(), false);
  await page.renewSubscription();
  assert.deepEqual([posted(), subscription], [[], null]);

  assert.equal(await (await pageOf("ERIN")).isSubscribed(), false);
});

test("of two who have turned it on, whoever is signed in has it", async () => {
  await (await pageOf("SAM")).subscribe();
  const back = await pageOf("ERIN");
  await back.renewSubscription();

  assert.deepEqual([posted(), await back.isSubscribed()], [["/phone/push"], true]);
});

test("what was turned off stays off", async () => {
  await (await pageOf("ERIN")).unsubscribe();
  await (await pageOf("SAM")).subscribe();
  const back = await pageOf("ERIN");
  await back.renewSubscription();

  assert.deepEqual([posted(), await back.isSubscribed()], [[], false]);
});

test("a renewal that is still on its way does not arrive after the end", async () => {
  const page = await pageOf("ERIN");
  const answered = deferred();
  const reached = deferred();
  server.answers = (_path, { method } = {}) => {
    if (method !== "POST") return json({});
    reached.resolve();
    return answered.promise;
  };
  const renewed = page.renewSubscription();
  const ended = page.unsubscribe();
  await reached.promise;
  assert.deepEqual(server.asked.map(({ method }) => method), ["POST"]);
  answered.resolve(json({}));
  await Promise.all([renewed, ended]);
  server.answers = () => json({ public_key: "AAAA" });

  assert.deepEqual(server.asked.map(({ method }) => method), ["POST", "DELETE"]);
  assert.equal(subscription, null);
});

function deferred() {
  const made = {};
  made.promise = new Promise((resolve) => (made.resolve = resolve));
  return made;
}
