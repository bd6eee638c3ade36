// What the page of the queue says of what waits to be sent.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./browser.mjs";
import { statusText } from "../../static/js/phone/app/screens/queue_screen.js";

test("one entry or several are sent when there is signal", () => {
  assert.equal(statusText(1), "It will be sent automatically when the connection allows it.");
  assert.equal(statusText(3), "They will be sent automatically when the connection allows it.");
});
