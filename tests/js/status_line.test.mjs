// What the status line reports at once.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./browser.mjs";
import { statusText } from "../../static/js/phone/app/status_line.js";

const IDLE = { state: "idle", photo: null, serverErrors: 0 };
const row = (state) => ({ state, entry: { kind: "photo_taken" } });

test("a problem hides nothing that waits to be sent", () => {
  assert.equal(statusText(IDLE, [row("refused"), row("pending"), row("pending")]).text, "1 problem · 2 waiting to send");
  assert.equal(statusText(IDLE, [row("refused"), row("synced")]).text, "1 problem");
});

test("what the server does not accept is no missing signal", () => {
  const { sign, text } = statusText({ ...IDLE, state: "waiting", serverErrors: 1 }, [row("pending")]);
  assert.deepEqual([sign, text], ["clock", "1 waiting to send – the server has a problem"]);
  assert.equal(statusText({ ...IDLE, state: "waiting" }, [row("pending")]).sign, "wifi-off");
});

test("not everything is sent while unfinished work is here only", () => {
  assert.equal(statusText(IDLE, [], { unfinished: 2 }).text, "2 unfinished answers or photos");
  assert.equal(statusText(IDLE, [row("pending")], { unfinished: 2 }).text, "1 waiting to send – it sends automatically");
});

// --- the lone-worker timer ---

const dueIn = (minutes, more = {}) => ({ job: "J-1", due_at: new Date(Date.now() + minutes * 60_000).toISOString(), ...more });

test("a check-in that is overdue is on every page, before what waits, and leads to the day's timer", () => {
  const { tone, text, to } = statusText(IDLE, [row("refused"), row("pending")], { timer: dueIn(-1) });
  assert.equal(tone, "alarm");
  assert.equal(text, "Check-in overdue. Tap here and say that you're OK.");
  assert.deepEqual(to, { href: "/phone/" });
});

test("a timer that runs, or that the office does not know of, changes nothing there", () => {
  for (const timer of [dueIn(5), dueIn(-1, { isPending: true }), null]) assert.equal(statusText(IDLE, [], { timer }).text, "All sent");
});
