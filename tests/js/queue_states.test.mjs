// What is said anew takes the place of what the server refused of the same.

import assert from "node:assert/strict";
import { test } from "node:test";

import { supersedes } from "../../static/js/phone/app/queue_states.js";

const entry = (kind, question = "", job = "J") => ({ kind, job, body: question ? { question } : {} });

test("the same step of the same job recorded again supersedes the refused one", () => {
  for (const kind of ["en_route", "on_site", "ont_scanned", "handover_requested", "check_in", "check_in_done", "close"]) {
    assert.equal(supersedes(entry(kind), entry(kind)), true, kind);
    assert.equal(supersedes(entry(kind), entry(kind, "", "K")), false, kind);
  }
  assert.equal(supersedes(entry("on_site"), entry("close")), false);
});

test("an answer, given or taken back, supersedes what was refused of its question", () => {
  assert.equal(supersedes(entry("answered", "Q"), entry("answered", "Q")), true);
  assert.equal(supersedes(entry("answer_withdrawn", "Q"), entry("answered", "Q")), true);
  assert.equal(supersedes(entry("answered", "Q"), entry("answer_withdrawn", "Q")), true);
  assert.equal(supersedes(entry("answered", "Q"), entry("answered", "R")), false);
});

test("a refused picture stays until it is deleted or retaken; a location message needs nobody's attention", () => {
  assert.equal(supersedes(entry("photo_taken", "Q"), entry("photo_taken", "Q")), false);
  assert.equal(supersedes(entry("driving"), entry("driving")), false);
});

test("unfinished work supersedes nothing", () => {
  const unfinished = entry("answered", "Q");
  unfinished.body.unfinished = true;
  assert.equal(supersedes(unfinished, entry("answered", "Q")), false);
  assert.equal(supersedes(entry("answered", "Q"), unfinished), true);
});
