// What is wrong with the last tap: said on its page until it is mended.

import assert from "node:assert/strict";
import { test } from "node:test";

// it would keep this process alive
delete globalThis.BroadcastChannel;
const { navigateFrom } = await import("../../static/js/phone/app/router.js");
const { TapRefused, clearProblem, createOnSlowTap, onTap, showProblems, problemsAt } = await import("../../static/js/phone/app/actions.js");

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

// A tap whose work lasts until the test ends it.
function slowTap() {
  const onSlowTap = createOnSlowTap();
  let end;
  const done = onSlowTap(() => new Promise((resolve, reject) => (end = { resolve, reject })))();
  return { onSlowTap, done, end };
}

test("what waits for the network loses no other tap, and is not started twice", async () => {
  at("/phone/me/");
  const { onSlowTap, done, end } = slowTap();
  const taps = [];
  await onTap(() => taps.push("on site"))();
  await onSlowTap(() => taps.push("again"))();
  assert.deepEqual(taps, ["on site"]);
  end.resolve();
  await done;
  await onSlowTap(() => taps.push("later"))();
  assert.deepEqual(taps, ["on site", "later"]);
});

test("the page that has come meanwhile takes a tap of its own", async () => {
  const stands = (address) => (globalThis.document = { querySelector: () => ({ dataset: { address } }) });
  const taps = [];
  let end;
  stands("/phone/jobs/J-1/travel/");
  const done = onTap(() => new Promise((resolve) => (end = resolve)))();
  await onTap(() => taps.push("again"))();
  stands("/phone/jobs/J-1/arrive/");
  await onTap(() => taps.push("on site"))();
  stands("/phone/jobs/J-1/travel/");
  await onTap(() => taps.push("once more"))();
  assert.deepEqual(taps, ["on site"]);
  end();
  await done;
  delete globalThis.document;
});

test("its problem is shown on its own page and on no other", async () => {
  for (const page of ["/phone/me/", PAGE]) {
    at("/phone/me/");
    const { done, end } = slowTap();
    at(page);
    end.reject(new TapRefused("You need signal."));
    await done;
    assert.deepEqual(problemsAt(page), page === PAGE ? [] : [{ message: "You need signal." }]);
  }
});

test("a new try that works leaves no problem of the one before", async () => {
  at("/phone/me/");
  const onSlowTap = createOnSlowTap();
  await onSlowTap(() => Promise.reject(new TapRefused("You need signal.")))();
  assert.equal(problemsAt("/phone/me/").length, 1);
  await onSlowTap(() => {})();
  assert.deepEqual(problemsAt("/phone/me/"), []);
});

test("a slow tap takes nobody away from the page to which they went", async () => {
  const been = [];
  const moveTo = (_state, _title, url) => been.push(url);
  globalThis.history = { pushState: moveTo, replaceState: moveTo };
  for (const page of ["/phone/", PAGE]) {
    at(PAGE);
    let end;
    const done = onTap(async () => {
      await new Promise((resolve) => (end = resolve));
      await navigateFrom(PAGE, "/phone/jobs/J-1/");
    })();
    at(page);
    end();
    await done;
    assert.deepEqual(been, page === PAGE ? ["/phone/jobs/J-1/"] : []);
  }
  delete globalThis.history;
});

test("what was not saved is known on the page to which somebody went, too", async () => {
  for (const page of ["/phone/jobs/J-2/", PAGE]) {
    at(PAGE);
    await showProblems(problems);
    let fail;
    const done = onTap(() => new Promise((_resolve, reject) => (fail = reject)))();
    at(page);
    fail(new TapRefused("This was not saved."));
    await done;
    assert.deepEqual(problemsAt(page), [{ message: "This was not saved." }]);
  }
});
