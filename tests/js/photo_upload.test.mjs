// When a picture that does not arrive is tried again, and when it is given up.

import "./memory_database.mjs";

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { rejectionText } from "../../static/js/phone/app/camera/photo_rejections.js";
import * as queue from "../../static/js/phone/app/queue.js";
import { Unreachable } from "../../static/js/phone/app/api_client.js";
import { openDatabaseOf } from "../../static/js/phone/app/database.js";
import { nextPhoto, sendPhoto } from "../../static/js/phone/app/photo_upload.js";

const SENTENCE = "What the server says.";
const answer = (status, body) => async () => new Response(JSON.stringify(body), { status });
const STORED = answer(200, { stored: true });
const DAMAGED = answer(422, { problems: [{ code: "hash_differs", where: "photo", message: SENTENCE, blocks: true }] });
const NO_SIGNAL = async () => {
  throw new TypeError("no network");
};

let pictures = 0;
let row = null;
beforeEach(async () => {
  await openDatabaseOf("uploads");
  pictures += 1;
  const picture = { id: `photo ${pictures}`, bytes: new ArrayBuffer(8) };
  row = await queue.add("photo_taken", "J1", { photo_id: picture.id, question: "PHO01" }, { picture });
});

const now = async () => (await queue.rows()).find(({ at }) => at === row.at);

async function tries(...answers) {
  for (const answer of answers) {
    globalThis.fetch = answer;
    await assert.rejects(sendPhoto(row, "uploads", () => {}), Unreachable);
  }
  assert.equal((await now()).state, "pending");
}

async function settles(message, state) {
  globalThis.fetch = message;
  await sendPhoto(row, "uploads", () => {});
  assert.equal((await now()).state, state);
}

test("a damaged transfer is tried again, however often the signal was lost before", async () => {
  await tries(NO_SIGNAL, NO_SIGNAL, NO_SIGNAL, NO_SIGNAL, DAMAGED);
  await settles(STORED, "synced");
});

test("what arrives damaged again and again lies here damaged, and does not go again", async () => {
  await tries(DAMAGED, NO_SIGNAL, DAMAGED, DAMAGED);
  await settles(DAMAGED, "refused");
  const text = rejectionText(await now());
  assert.notEqual(text, SENTENCE);
  assert.match(text, /^Refused: .* Take it again\.$/);
});

test("a photo that no answer names goes before one that a closing may wait for only where that one keeps failing", async () => {
  const unneeded = await queue.add("photo_taken", "J1", { photo_id: "not needed" }, { picture: { id: "not needed", bytes: new ArrayBuffer(8) } });
  const jobs = [{ id: "J1", answers: { PHO01: [row.photo] } }];
  const waiting = [unneeded, row].map((each) => ({ ...each, announced: true }));
  const order = [];
  for (let turn = 0; turn < 6; turn += 1) {
    const next = await nextPhoto(waiting, jobs);
    order.push(next.photo === row.photo);
    globalThis.fetch = NO_SIGNAL;
    await assert.rejects(sendPhoto(next, "uploads", () => {}), Unreachable);
  }
  assert.deepEqual(order, [true, true, true, false, true, false]);
});

test("each request of an upload names whose queue it is of", async () => {
  const asked = [];
  globalThis.XMLHttpRequest = class {
    upload = {};
    status = 200;
    responseText = JSON.stringify({ stored: true });
    open = (_verb, url) => asked.push(url);
    setRequestHeader = () => {};
    send = () => this.onload();
  };
  globalThis.fetch = async (path) => {
    asked.push(path);
    return new Response(JSON.stringify({ url: "/bucket", headers: {}, stored: false }));
  };

  await sendPhoto(row, "ANN", () => {});

  const path = `/phone/photos/${row.photo}`;
  assert.deepEqual(asked, [`${path}/address?engineer=ANN&size=8`, "/bucket", `${path}/put?engineer=ANN`, `${path}?engineer=ANN`]);
  delete globalThis.XMLHttpRequest;
});
