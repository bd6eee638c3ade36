// What a job's page reports of changes and refusals.

import assert from "node:assert/strict";
import { test } from "node:test";

import { changeTexts, describeRefusal, otherJobTitle } from "../../static/js/phone/app/job_notices.js";

const matrix = { questions: [{ code: "PHO01", text: "Photo of the front", kind: "photo", stage: "work", job_types: ["installation"] }] };
const success = { code: "SP", succeeds: true, secondaries: [] };
const job = { id: "J-1", type: "installation", state: "on_site", answers: { PHO01: ["a"] }, photos: { a: { stored: true }, b: { stored: true } }, closures: [success], has_ont_scan: true, scan: {}, result: { result_id: 6 } };
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
  assert.deepEqual(describeRefusal(row, job, matrix), {
    question: "Photo of the front",
    text: "Refused: damaged or incomplete. Take it again.",
    url: "/phone/queue/",
    label: "What to do",
  });
  // the evidence of a scan is asked for by no question
  assert.equal(describeRefusal({ ...row, entry: { kind: "photo_taken", body: { question: "ONT_LABEL" } } }, job, matrix).question, "");
});

test("a refused closing leads back to closing once nothing is missing", () => {
  const problems = [{ code: "not_provisioned", where: "provisioning", message: "The seller has not reported the ONT as provisioned." }];
  const row = { photo: null, problems, entry: { kind: "close", body: { code: "SP", secondary_code: "", remarks: "" } } };
  assert.equal(describeRefusal(row, job, matrix).text, problems[0].message);

  const provisioned = describeRefusal(row, { ...job, result: { result_id: 1 } }, matrix);
  assert.equal(provisioned.text, "The job was not closed. What was missing is there now. Close it again.");
  assert.equal(provisioned.url, "/phone/jobs/J-1/close/?code=SP");
});

test("a closing that was refused for a picture leads back to closing once that picture is gone", () => {
  const problems = [{ code: "same_photo", where: "question:PHO01", message: "Photo of the front: this is the same photo." }];
  const row = { photo: null, problems, pictures: ["a"], entry: { kind: "close", body: { code: "SP", secondary_code: "", remarks: "" } } };
  assert.equal(describeRefusal(row, job, matrix).text, problems[0].message);
  assert.match(describeRefusal(row, { ...job, answers: { PHO01: ["b"] } }, matrix).text, /Close it again/);
});

test("a second job at the same premises does not ask whether the engineer is still there", () => {
  const at = (/** @type {string} */ address) => ({ ...job, address, page: { address } });
  const here = at("104 Belle Isle Garth, Leeds, LS10 3TF");
  assert.equal(otherJobTitle(here, at("104 Belle Isle Garth, Leeds, LS10 3TF")), "Another job at this address is still open.");
  assert.equal(otherJobTitle(here, at("2 High Street, Leeds, LS10 3TF")), "Still at 2 High Street, Leeds, LS10 3TF?");
});
