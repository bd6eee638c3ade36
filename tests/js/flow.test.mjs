// The phone's flow against tests/data/flow_vectors.json, as tests/closures/test_flow.py runs it against ours.
// Run with: node --test tests/js/flow.test.mjs

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { applicableQuestions, missingQuestions, unsafeAnswers } from "../../static/js/phone/flow.js";

const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
const file = read("../data/flow_vectors.json");
const matrices = { small: file.small, sample: read("../../closures/data/matrix_sample_1.json") };
const codes = (questions) => questions.map((question) => question.code);

for (const { name, job_type: jobType, answers, unsafe: codesOf } of file.stops) {
  test(`unsafe: ${name}`, () => {
    assert.deepEqual(codes(unsafeAnswers(file.small, { jobType, answers })), codesOf);
  });
}

for (const vector of file.vectors) {
  const matrix = matrices[vector.matrix];
  const options = { jobType: vector.job_type, answers: vector.answers, closureCode: vector.closure_code };
  if ("stages" in vector) options.stages = vector.stages;

  test(`asked: ${vector.name}`, () => {
    assert.deepEqual(codes(applicableQuestions(matrix, options)), vector.asked);
  });

  test(`next: ${vector.name}`, () => {
    const open = codes(applicableQuestions(matrix, options)).filter((code) => !Object.hasOwn(vector.answers, code));
    assert.equal(open[0] ?? null, vector.next);
  });

  test(`missing: ${vector.name}`, () => {
    assert.deepEqual(codes(missingQuestions(matrix, options)), vector.missing);
  });
}
