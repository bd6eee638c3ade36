// What is wrong with the last tap: said on its page until it is mended.

import assert from "node:assert/strict";
import { test } from "node:test";

// it would keep this process alive
delete globalThis.BroadcastChannel;
const { clearProblem, showProblems, problemsAt } = await import("../../static/js/phone/app/actions.js");

const PAGE = "/phone/jobs/J-1/close/";
const problems = [
  { message: "Choose the reason.", field: "secondary" },
  { message: "Write what happened.", field: "remarks" },
];

function at(pathname, search = "") {
  globalThis.location = { pathname, search };
}

test("a retyped value is no longer a problem, whatever the address is searched with", async () => {
  at(PAGE, "?code=OTHER");
  await showProblems(problems);
  assert.deepEqual(problemsAt(PAGE), problems);
  clearProblem("remarks");
  assert.deepEqual(problemsAt(PAGE), [problems[0]]);
});

test("a field of another page does not concern this one, and its problems are gone with it", async () => {
  at(PAGE);
  await showProblems(problems);
  at("/phone/jobs/J-1/scan/");
  clearProblem("remarks");
  at(PAGE);
  assert.equal(problemsAt(PAGE).length, 2);
  assert.deepEqual(problemsAt("/phone/jobs/J-1/scan/"), []);
  assert.deepEqual(problemsAt(PAGE), []);
});
