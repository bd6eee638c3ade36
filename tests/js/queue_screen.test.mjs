// What the page of the queue says of what waits to be sent.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./browser.mjs";
import { statusText, waitingClosureText } from "../../static/js/phone/app/screens/queue_screen.js";

test("one entry or several are sent when there is signal", () => {
  assert.equal(statusText(1), "It will be sent automatically when the connection allows it.");
  assert.equal(statusText(3), "They will be sent automatically when the connection allows it.");
});

test("a closing waits for one photo or several", () => {
  assert.equal(waitingClosureText("2 Ling Bob", 1), "2 Ling Bob can't be closed until 1 photo has been sent.");
  assert.equal(waitingClosureText("2 Ling Bob", 2), "2 Ling Bob can't be closed until 2 photos have been sent.");
});
