// The phone's steps against tests/data/step_vectors.json; tests/phone/test_workflow_vectors.py compares its jobs with
// real ones.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { backUrl, nextStep, nextUrl, DEFAULT_WIZARD, getProgress, listQuestions, parseWizard, jobUrl } from "../../static/js/phone/app/workflow.js";

const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
const file = read("../data/step_vectors.json");
const matrix = read(`../../${file.matrix}`);
const jobOf = ({ job }) => ({ ...job, closures: file.closures[job.type] });
const wizard = (more) => ({ ...DEFAULT_WIZARD, ...more });

for (const vector of file.vectors) {
  const { expected } = vector;
  const job = jobOf(vector);

  test(`next step: ${vector.name}`, () => {
    const step = nextStep(job, matrix);
    assert.deepEqual(step && [step.name, step.url], expected.step);
  });

  test(`progress: ${vector.name}`, () => {
    const { done, total } = getProgress(job, matrix);
    assert.deepEqual([done, total], expected.progress);
  });

  for (const [after, next] of Object.entries(expected.following ?? {})) {
    test(`after ${after}: ${vector.name}`, () => {
      const wanted = next ? `/phone/jobs/JOB/question/${next}/` : expected.step[1];
      assert.equal(nextUrl(job, matrix, wizard({ after })), wanted);
    });
  }

  for (const [closing, url] of Object.entries(expected.closing ?? {})) {
    test(`closing as ${closing}: ${vector.name}`, () => {
      assert.equal(nextUrl(job, matrix, wizard({ closing })), url);
    });
  }
}

const onSite = jobOf(file.vectors.find(({ name }) => name === "installation on_site"));

test("an ONT that failed is nothing to wait for", () => {
  const scanned = jobOf(file.vectors.find(({ name }) => name === "installation: scanned"));
  const label = (/** @type {number} */ id) => nextStep({ ...scanned, result: { result_id: id, success: false } }, matrix).label;
  assert.deepEqual([3, 4, 5, 6, 7].map(label), [
    "Provisioning failed: what to do",
    "Wait for provisioning",
    ...Array(3).fill("Provisioning failed: what to do"),
  ]);
  assert.equal(nextStep(scanned, matrix).label, "Wait for provisioning");
});

test("whoever accompanies has no step, whatever the state", () => {
  for (const state of ["assigned", "en_route", "on_site"]) {
    const job = { ...onSite, state, team: { is_second: true, name: "Erin Engineer", call_url: "" } };
    assert.equal(nextStep(job, matrix), null);
  }
  assert.notEqual(nextStep({ ...onSite, team: { is_second: false, name: "Sam Second", call_url: "" } }, matrix), null);
});

test("an address carries its wizard there and back", () => {
  const carried = wizard({ closing: "RNA/NA", secondary: "CON03", whileWaiting: true, after: "SAF01" });
  const url = new URL(jobUrl(onSite, "scan", carried), "https://phone");
  assert.deepEqual(parseWizard(url.search), carried);
});

test("work continues while the seller provisions", () => {
  const waiting = jobOf(file.vectors.find(({ name }) => name === "installation: scanned"));
  assert.match(nextUrl(waiting, matrix, wizard({ whileWaiting: true })), /^\/phone\/jobs\/JOB\/question\/[A-Z0-9]+\/\?waiting=1$/);
});

test("questions while waiting go on until there are none", () => {
  const all = jobOf(file.vectors.find(({ name }) => name === "installation: all is answered"));
  const waiting = { ...all, result: null };
  assert.equal(nextUrl(waiting, matrix, wizard({ whileWaiting: true })), "/phone/jobs/JOB/provisioning/");
});

test("an optional question is offered once on the way, and does not come back", () => {
  const ready = jobOf(file.vectors.find(({ name }) => name === "installation: provisioned"));
  const job = { ...ready, answers: { ...ready.answers, ROU01: "overhead", ROU02: 30 } };
  const after = (code) => nextUrl(job, matrix, wizard({ after: code })).match(/question\/(\w+)\//)[1];
  assert.deepEqual(["ROU02", "ROU03", "PHO01"].map(after), ["ROU03", "PHO01", "PHO02"]);
  assert.equal(nextStep(job, matrix).url, "/phone/jobs/JOB/question/PHO01/");
});

test("a job may be reviewed while optional questions are open", () => {
  const all = jobOf(file.vectors.find(({ name }) => name === "external: all is answered"));
  const answers = { ...all.answers, ROU01: "overhead" };
  delete answers.ROU03;
  assert.equal(nextStep({ ...all, answers }, matrix).name, "review");
});

test("a job without a recorded arrival starts with the arrival, whatever its outcome", () => {
  const onTheWay = { ...onSite, state: "en_route" };
  const url = nextUrl(onTheWay, matrix, wizard({ closing: "CON", secondary: "CON03" }));
  assert.equal(url, "/phone/jobs/JOB/arrive/?closing=CON&secondary=CON03");
});

test("back leads to the question before, and from the first one to the job", () => {
  const [first, second] = listQuestions(onSite, matrix);
  assert.equal(backUrl(onSite, matrix, first, DEFAULT_WIZARD), "/phone/jobs/JOB/");
  assert.equal(backUrl(onSite, matrix, second, DEFAULT_WIZARD), `/phone/jobs/JOB/question/${first.code}/`);
});

test("nobody is asked anything about a job that is over", () => {
  for (const state of ["closed", "cancelled"]) assert.equal(nextStep({ ...onSite, state }, matrix), null);
});
