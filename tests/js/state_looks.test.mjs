// Colour and icon of a job's state, by the vectors that run against board/formatting.py and phone/job_details.py too.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import "./browser.mjs";
import { stateStyle } from "../../static/js/phone/app/screens/components.js";

const { vectors } = JSON.parse(readFileSync(new URL("../data/state_look_vectors.json", import.meta.url), "utf8"));

for (const { state, succeeds, slug, icon } of vectors) {
  test(`as on the board: ${state} ${succeeds ?? ""}`, () => {
    const look = stateStyle({ state, closed_as: "A", closures: [{ code: "A", succeeds }] });
    assert.deepEqual([look.slug, look.icon], [slug, icon]);
  });
}
