// The phone's own look at an answer against tests/data/answer_vectors.json, as tests/closures/test_answer_vectors.py
// runs it against the server's: the same answers are kept, and the others are refused in the same words.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { MAX_CHARACTERS, MAX_REASON_CHARACTERS, MAX_SIGNER_CHARACTERS, validateAnswer, displayAnswer, expectedRange, rangeWarning } from "../../static/js/phone/app/answer_validation.js";

const file = JSON.parse(readFileSync(new URL("../data/answer_vectors.json", import.meta.url), "utf8"));

for (const vector of file.cleaned) {
  const question = file.questions[vector.question];

  test(`${vector.question} ${JSON.stringify(vector.value)}`, () => {
    const result = validateAnswer(question, vector.value);
    assert.deepEqual(result, "problem" in vector ? { problem: vector.problem } : { value: vector.kept });
    if ("shown" in vector) assert.equal(displayAnswer(question, result.value), vector.shown);
  });
}

for (const vector of file.warnings) {
  test(`${vector.question} ${vector.value} on ${vector.network || "any network"}`, () => {
    assert.equal(rangeWarning(file.questions[vector.question], vector.value, vector.network), vector.warning);
  });
}

test("the longest texts are those that the server takes", () => {
  const { answer, remarks, handover_reason, signer } = JSON.parse(readFileSync(new URL("../data/length_vectors.json", import.meta.url), "utf8"));
  assert.deepEqual([answer, remarks, handover_reason, signer], [MAX_CHARACTERS, MAX_CHARACTERS, MAX_REASON_CHARACTERS, MAX_SIGNER_CHARACTERS]);
});

test("text may have two thousand characters, whatever their kind", () => {
  const characters = "😀".repeat(2000);
  assert.deepEqual(validateAnswer(file.questions.why, characters), { value: characters });
  assert.deepEqual(validateAnswer(file.questions.why, `${characters}!`), { problem: "Enter at most 2000 characters. This has 2001." });
});

test("half of a surrogate pair is no letter", () => {
  assert.deepEqual(validateAnswer(file.questions.why, "\ud83d"), { problem: "Enter a few words." });
});

test("the usual window is that of the network, or of the first one known", () => {
  assert.equal(expectedRange(file.questions.light, "XGS-PON"), "−28 to −9 dBm");
  assert.equal(expectedRange(file.questions.light, "copper"), "−27 to −8 dBm");
  assert.equal(expectedRange(file.questions.length, "GPON"), "");
});
