// The service worker sends what waits when no page is looked at: each person's queue, whatever became of another's.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";

import { databases, json, lies, server } from "./browser.mjs";
import * as sendQueue from "../../static/js/phone/app/send_queue.js";
import * as queue from "../../static/js/phone/app/queue.js";
import * as store from "../../static/js/phone/app/database.js";

const registered = [];
const pages = [];
const listeners = new Map();
const self = {
  addEventListener: (name, listener) => listeners.set(name, listener),
  clients: { matchAll: async () => pages },
  registration: { sync: { register: async (tag) => registered.push(tag) } },
};
// as phone/pwa.py gives it
const script = readFileSync(new URL("../../static/js/phone/service_worker.js", import.meta.url), "utf8");
new Function("self", "VERSION", "FILES", "sendQueue", script)(self, "v1", {}, sendQueue);

function sync(lastChance = false) {
  let done;
  listeners.get("sync")({ lastChance, waitUntil: (promise) => void (done = promise) });
  return done;
}

async function waits(...engineers) {
  for (const engineer of engineers) {
    await store.openDatabaseOf(engineer);
    await queue.add("en_route", "J1", {});
  }
}

// The server with B signed in; `broken` is whose words it stumbles over.
function signedIn(who, broken = "") {
  server.answers = (path, { body }) => {
    if (path.startsWith("/phone/photos/")) return photoAnswer(new URL(path, "http://phone").searchParams.get("engineer"), who);
    const { engineer, messages } = JSON.parse(body);
    if (engineer === broken) return json({}, 500);
    if (engineer !== who) return json({ error: "other_engineer" }, 409);
    return json({ results: messages.map((message) => ({ message_id: message.message_id, outcome: "applied", problems: [] })) });
  };
}

// Who names nobody has no such photo.
function photoAnswer(engineer, who) {
  if (engineer === who) return json({ stored: true });
  return engineer ? json({ error: "other_engineer" }, 409) : json({ problems: [{ code: "unknown_photo", where: "photo" }] }, 404);
}

const states = (engineer) => Object.values(lies(`phone-${engineer}`).queue).map(({ state }) => state);

beforeEach(() => {
  databases.clear();
  registered.length = pages.length = 0;
});

test("somebody else's queue holds up nobody", async () => {
  await waits("ANN", "BO", "CY");
  signedIn("BO");

  await sync();

  assert.deepEqual([states("ANN"), states("BO"), states("CY")], [["pending"], ["synced"], ["pending"]]);
  // theirs wait for them, not for the network
  assert.deepEqual(registered, []);
});

test("an announced photo waits for its engineer too, and stays in its answer", async () => {
  await waits("DI");
  await queue.add("photo_taken", "J1", { photo_id: "P1", question: "PHO01" }, { picture: { id: "P1", bytes: new ArrayBuffer(8) } });
  for (const { at } of await queue.rows()) await queue.updateRow(at, (row) => ({ ...row, announced: Boolean(row.photo), state: row.photo ? "pending" : "synced" }));
  signedIn("BO");
  await sync();
  assert.deepEqual(states("DI"), ["synced", "pending"]);

  signedIn("DI");
  await sync();
  assert.deepEqual(states("DI"), ["synced", "synced"]);
});

test("a request that failed on the server is retried by the browser, and registered again at the last chance", async () => {
  await waits("ANN", "BO");
  signedIn("BO", "ANN");

  await assert.rejects(sync());
  assert.deepEqual([states("ANN"), states("BO")], [["pending"], ["synced"]]);
  await sync(true);
  assert.deepEqual(registered, ["queue"]);
});

for (const [visibilityState, state, engineer] of [["visible", "pending", "ED"], ["hidden", "synced", "FAY"]]) {
  test(`with a page that is ${visibilityState}, what waits is ${state} after the worker's turn`, async () => {
    await waits(engineer);
    signedIn(engineer);
    const messages = [];
    pages.push({ visibilityState, postMessage: (message) => messages.push(message) });
    await sync();

    assert.deepEqual([messages, states(engineer)], [["sync"], [state]]);
  });
}
