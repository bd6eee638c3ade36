// A round of sending over a server that stumbles over some of the entries.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { json, server } from "./browser.mjs";
import * as database from "../../static/js/phone/app/database.js";
import * as queue from "../../static/js/phone/app/queue.js";
import { sendInBackground, sendNow, status } from "../../static/js/phone/app/send_queue.js";

let engineers = 0;
let engineer = "";
beforeEach(async () => {
  engineers += 1;
  engineer = `E${engineers}`;
  await database.openDatabaseOf(engineer);
});

// Answers 500 for a request with an entry that `isBad`; gives what arrives otherwise, in its order.
function stumblesOver(isBad) {
  const arrived = [];
  server.answers = (_path, { body }) => {
    const { messages } = JSON.parse(body);
    if (messages.some(isBad)) return json({}, 500);
    arrived.push(...messages.map(({ kind, job }) => `${kind} ${job}`));
    return json({ results: messages.map((message) => ({ message_id: message.message_id, outcome: "applied", problems: [] })) });
  };
  return arrived;
}

const taps = (...kinds) => queue.addAll(kinds.map((kind) => ({ kind, job: "A", body: {} })));

test("a job whose entry always fails holds back no sign of life of it", async () => {
  await taps("answered", "check_in", "close", "check_in_done");
  const arrived = stumblesOver(({ kind }) => kind === "answered");

  await assert.rejects(sendInBackground(engineer));
  assert.deepEqual(arrived, ["check_in A", "check_in_done A"]);
});

test("a check-in does not overtake the timer that it ends", async () => {
  await taps("check_in", "check_in_done", "answered");
  const arrived = stumblesOver(({ kind }) => kind === "check_in");

  await assert.rejects(sendInBackground(engineer));
  assert.deepEqual(arrived, ["answered A"]);
});

test("a job with more entries than fit into a batch, the first of which always fails, holds back no other job", async () => {
  await taps("answered", ...Array.from({ length: 60 }, () => "answer_withdrawn"));
  await queue.add("en_route", "B", {});
  const arrived = stumblesOver(({ job }) => job === "A");

  await assert.rejects(sendInBackground(engineer), { status: 500 });
  assert.deepEqual(arrived, ["en_route B"]);
});

test("a check-in and the next tap do not wait for a photo that is on its way", async () => {
  const arrived = [];
  let photoIsThrough = () => {};
  await queue.add("photo_taken", "A", { photo_id: "p1", question: "PHO01" }, { picture: { id: "p1", bytes: new ArrayBuffer(8) } });
  server.answers = (path, { body }) => {
    if (path.startsWith("/phone/photos/")) {
      arrived.push("photo begins");
      void taps("answered", "check_in");
      return new Promise((resolve) => (photoIsThrough = () => resolve(json({ stored: true }))));
    }
    const { messages } = JSON.parse(body);
    arrived.push(...messages.map(({ kind }) => kind));
    if (arrived.includes("answered")) photoIsThrough();
    return json({ results: messages.map(({ message_id }) => ({ message_id, outcome: "applied", problems: [] })) });
  };

  await sendInBackground(engineer);

  assert.deepEqual(arrived, ["photo_taken", "photo begins", "check_in", "answered"]);
  assert.deepEqual(queue.pendingRows(await queue.rows()), []);
});

test("a deleted photo that cannot be uploaded holds no closing, and goes after the photos of the answers", async () => {
  const photo = (id) => queue.add("photo_taken", "A", { photo_id: id, question: "PHO01" }, { picture: { id, bytes: new ArrayBuffer(8) } });
  await database.setValue("day", { jobs: [{ id: "A", state: "on_site", answers: {} }], matrices: {} });
  await photo("unwanted");
  await photo("wanted");
  await queue.addAll([{ kind: "answered", job: "A", body: { question: "PHO01", value: ["wanted"] } }, { kind: "close", job: "A", body: { code: "SP" } }]);
  const arrived = [];
  server.answers = (path, { body }) => {
    if (path.startsWith("/phone/photos/unwanted")) return json({}, 503);
    if (path.startsWith("/phone/photos/")) {
      arrived.push("wanted");
      return json({ stored: true });
    }
    const { messages } = JSON.parse(body);
    arrived.push(...messages.map(({ kind }) => kind));
    return json({ results: messages.map(({ message_id }) => ({ message_id, outcome: "applied", problems: [] })) });
  };

  await assert.rejects(sendInBackground(engineer));

  assert.deepEqual(arrived, ["photo_taken", "photo_taken", "answered", "wanted", "close"]);
  assert.deepEqual(queue.pendingRows(await queue.rows()).map(({ photo }) => photo), ["unwanted"]);
});

test("messages that fail beside a photo are sent again while it is on its way", async () => {
  const arrived = [];
  let photoIsThrough = () => {};
  let failures = 1;
  await queue.add("photo_taken", "A", { photo_id: "p1", question: "PHO01" }, { picture: { id: "p1", bytes: new ArrayBuffer(8) } });
  server.answers = (path, { body }) => {
    if (path.startsWith("/phone/photos/")) {
      void taps("check_in");
      return new Promise((resolve) => (photoIsThrough = () => resolve(json({ stored: true }))));
    }
    const { messages } = JSON.parse(body);
    if (messages.some(({ kind }) => kind === "check_in") && failures--) throw new TypeError("no network");
    arrived.push(...messages.map(({ kind }) => kind));
    if (arrived.includes("check_in")) photoIsThrough();
    return json({ results: messages.map(({ message_id }) => ({ message_id, outcome: "applied", problems: [] })) });
  };

  await sendInBackground(engineer);

  assert.deepEqual(arrived, ["photo_taken", "check_in"]);
});

test("an error of the server is told from missing signal, until a round succeeds", async (test) => {
  // the next round is the test's own
  test.mock.timers.enable({ apis: ["setTimeout"] });
  await sendInBackground(engineer);
  await taps("answered");
  const errors = [];
  for (const answers of [() => json({}, 503), () => json({}, 429), () => Promise.reject(new TypeError("no network")), () => json({}, 500)]) {
    server.answers = answers;
    await sendNow();
    errors.push([status.state, status.serverErrors]);
  }
  assert.deepEqual(errors, [["waiting", 1], ["waiting", 2], ["waiting", 0], ["waiting", 1]]);
  stumblesOver(() => false);
  await sendNow();
  assert.deepEqual([status.state, status.serverErrors], ["idle", 0]);
});
