// What a job's page reports of changes and refusals.

import assert from "node:assert/strict";
import { test } from "node:test";

import { changeTexts, describeRefusal } from "../../static/js/phone/app/job_notices.js";

const matrix = { questions: [{ code: "PHO01", text: "Photo of the front", kind: "photo", stage: "work", job_types: ["installation"] }] };
const CANCELLED = "The seller cancelled this job at 10:40.";

test("a cancellation that the day reports is not repeated by what came too late", () => {
  const late = { problems: [{ code: "cancelled", message: CANCELLED }] };
  assert.deepEqual(changeTexts({ notices: [{ rule: "cancelled", words: CANCELLED }], late }), [CANCELLED]);
  assert.deepEqual(changeTexts({ notices: [{ rule: "far_from_premises", words: "Far away." }], late }), ["Far away.", CANCELLED]);
  assert.deepEqual(changeTexts({ late }), [CANCELLED]);
  assert.deepEqual(changeTexts({}), []);
});

test("a refused photo names its question", () => {
  const row = { photo: "a", problems: [{ code: "unreadable", message: "" }], entry: { kind: "photo_taken", body: { question: "PHO01" } } };
  assert.deepEqual(describeRefusal(row, matrix), {
    question: "Photo of the front",
    text: "Refused: damaged or incomplete. Take it again.",
    url: "/phone/queue/",
    label: "What to do",
  });
  // the evidence of a scan is asked for by no question
  assert.equal(describeRefusal({ ...row, entry: { kind: "photo_taken", body: { question: "ONT_LABEL" } } }, matrix).question, "");
});
