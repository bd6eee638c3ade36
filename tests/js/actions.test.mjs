// What is wrong with the last tap: said on its page until it is mended.

import assert from "node:assert/strict";
import { test } from "node:test";

// it would keep this process alive
delete globalThis.BroadcastChannel;
const { forgetSlip, refuse, slipAt } = await import("../../static/js/phone/app/actions.js");

const PAGE = "/phone/jobs/J-1/close/";
const problems = [
  { message: "Choose what it was.", field: "secondary" },
  { message: "Write what happened.", field: "remarks" },
];

function at(pathname, search = "") {
  globalThis.location = { pathname, search };
}

test("what is typed anew is not complained of any more, whatever the address is searched with", async () => {
  at(PAGE, "?code=OTHER");
  await refuse(problems);
  assert.deepEqual(slipAt(PAGE), problems);
  forgetSlip("remarks");
  assert.deepEqual(slipAt(PAGE), [problems[0]]);
});

test("a field of another page says nothing of this one, and its problems are gone with it", async () => {
  at(PAGE);
  await refuse(problems);
  at("/phone/jobs/J-1/scan/");
  forgetSlip("remarks");
  at(PAGE);
  assert.equal(slipAt(PAGE).length, 2);
  assert.deepEqual(slipAt("/phone/jobs/J-1/scan/"), []);
  assert.deepEqual(slipAt(PAGE), []);
});
