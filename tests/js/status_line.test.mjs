// What the status line reports at once.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./browser.mjs";
import { statusText } from "../../static/js/phone/app/status_line.js";

const IDLE = { state: "idle", photo: null };
const row = (state) => ({ state, entry: { kind: "photo_taken" } });

test("a problem hides nothing that waits to be sent", () => {
  assert.equal(statusText(IDLE, [row("refused"), row("pending"), row("pending")]).text, "1 problem · 2 waiting to send");
  assert.equal(statusText(IDLE, [row("refused"), row("synced")]).text, "1 problem");
});
