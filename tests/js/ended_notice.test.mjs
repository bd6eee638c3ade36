// What the page of a job that was closed on this phone says of what still waits.

import assert from "node:assert/strict";
import { test } from "node:test";

import { textOf } from "./elements.mjs";
import { endedNotice } from "../../static/js/phone/app/screens/job_components.js";

const job = {
  state: "closed",
  page: {},
  closures: [{ code: "SP", succeeds: true, description: "Service works" }],
  closure: { code: "SP" },
  pending: 1,
};
const photo = (state) => ({ photos: { p1: { question: "PHO01", row: { state, photo: "p1" } }, p2: { question: "PHO02" } } });

test("a closing waits for photos only where some of its job wait", () => {
  const alone = /You can leave\. It is sent automatically\.$/;
  assert.match(textOf(endedNotice(job)), alone);
  assert.match(textOf(endedNotice({ ...job, ...photo("synced") })), alone);
  assert.match(textOf(endedNotice({ ...job, ...photo("pending") })), /It is sent automatically, after its photos\.$/);
  assert.doesNotMatch(textOf(endedNotice({ ...job, pending: 0 })), /You can leave/);
});
