// The phone's steps against tests/data/step_vectors.json, which tests/engineers/test_step_vectors.py made of real jobs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { backUrl, nextStep, nextUrl, NOWHERE_ELSE, progressOf, questionsOf, trailOf, urlOf } from "../../static/js/phone/app/steps.js";

const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
const file = read("../data/step_vectors.json");
const matrix = read(`../../${file.matrix}`);
const jobOf = ({ job }) => ({ ...job, closures: file.closures[job.type] });
const trail = (more) => ({ ...NOWHERE_ELSE, ...more });

for (const vector of file.vectors) {
  const { expected } = vector;
  const job = jobOf(vector);

  test(`next step: ${vector.name}`, () => {
    const step = nextStep(job, matrix);
    assert.deepEqual(step && [step.name, step.url], expected.step);
  });

  test(`progress: ${vector.name}`, () => {
    const { done, total } = progressOf(job, matrix);
    assert.deepEqual([done, total], expected.progress);
  });

  for (const [after, next] of Object.entries(expected.following ?? {})) {
    test(`after ${after}: ${vector.name}`, () => {
      const wanted = next ? `/phone/jobs/JOB/question/${next}/` : expected.step[1];
      assert.equal(nextUrl(job, matrix, trail({ after })), wanted);
    });
  }

  for (const [closing, url] of Object.entries(expected.closing ?? {})) {
    test(`closing as ${closing}: ${vector.name}`, () => {
      assert.equal(nextUrl(job, matrix, trail({ closing })), url);
    });
  }
}

const onSite = jobOf(file.vectors.find(({ name }) => name === "installation on_site"));

test("an address carries its trail there and back", () => {
  const carried = trail({ closing: "RNA/NA", secondary: "CON03", meanwhile: true, after: "SAF01" });
  const url = new URL(urlOf(onSite, "scan", carried), "https://phone");
  assert.deepEqual(trailOf(url.search), carried);
});

test("work goes on while the seller provisions", () => {
  const waiting = jobOf(file.vectors.find(({ name }) => name === "installation: scanned"));
  assert.match(nextUrl(waiting, matrix, trail({ meanwhile: true })), /^\/phone\/jobs\/JOB\/question\/[A-Z0-9]+\/\?meanwhile=1$/);
});

test("back leads to the question before, and from the first one to the job", () => {
  const [first, second] = questionsOf(onSite, matrix);
  assert.equal(backUrl(onSite, matrix, first, NOWHERE_ELSE), "/phone/jobs/JOB/");
  assert.equal(backUrl(onSite, matrix, second, NOWHERE_ELSE), `/phone/jobs/JOB/question/${first.code}/`);
});

test("nobody is asked anything about a job that is over", () => {
  for (const state of ["closed", "cancelled"]) assert.equal(nextStep({ ...onSite, state }, matrix), null);
});
