// What a tap makes of a job on the phone, against tests/data/move_vectors.json; tests/dispatch/test_move_vectors.py asks
// the server's table of states the same.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { applyQueue } from "../../static/js/phone/app/optimistic_state.js";
import { isLegal } from "../../static/js/phone/app/workflow.js";

const { vectors } = JSON.parse(readFileSync(new URL("../data/move_vectors.json", import.meta.url), "utf8"));

for (const { tap, state, after } of vectors) {
  test(`${tap} of a job that is ${state}`, () => {
    const job = { id: "A", state, answers: {}, closures: [] };
    const entry = { message_id: "m1", kind: tap, job: "A", occurred_at: "2026-11-23T09:00:00.000Z", body: {} };
    const [seen] = applyQueue({ jobs: [job] }, [{ state: "pending", outcome: "", problems: [], entry }]).jobs;

    assert.equal(seen.state, after ?? state);
    assert.equal(isLegal(tap, job), after !== null);
  });
}
