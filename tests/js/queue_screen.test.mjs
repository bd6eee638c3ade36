// What the page of the queue says of what waits to be sent.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import "./browser.mjs";
import { isStuck, statusText, waitingClosureText } from "../../static/js/phone/app/screens/queue_screen.js";
import * as sendQueue from "../../static/js/phone/app/send_queue.js";

afterEach(() => {
  sendQueue.status.serverErrors = 0;
});

test("one entry or several are sent when there is signal", () => {
  assert.equal(statusText(1), "It will be sent automatically when the connection allows it.");
  assert.equal(statusText(3), "They will be sent automatically when the connection allows it.");
});

test("a closing waits for one photo or several", () => {
  assert.equal(waitingClosureText("2 Ling Bob", 1), "2 Ling Bob can't be closed until 1 photo has been sent.");
  assert.equal(waitingClosureText("2 Ling Bob", 2), "2 Ling Bob can't be closed until 2 photos have been sent.");
});

test("a server that has a problem is named; after an hour of it the office is to be called", () => {
  const now = Date.now();
  const tapped = (minutes) => [{ entry: { occurred_at: new Date(now - minutes * 60_000).toISOString() } }];
  assert.equal(isStuck(tapped(61), now), false);
  sendQueue.status.serverErrors = 1;
  assert.equal(statusText(2), "The server has a problem. Sending is retried automatically; nothing has been lost.");
  assert.equal(isStuck(tapped(61), now), false);
  sendQueue.status.serverErrors = 5;
  assert.deepEqual([isStuck(tapped(61), now), isStuck(tapped(59), now), isStuck([], now)], [true, false, false]);
});
