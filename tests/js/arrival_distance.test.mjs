// What is said far from the premises, by the vectors that run against phone/arrival_distance.py too.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { farAwayText } from "../../static/js/phone/app/arrival_distance.js";

const { vectors } = JSON.parse(readFileSync(new URL("../data/arrival_vectors.json", import.meta.url), "utf8"));

for (const { name, premises, position, distance } of vectors) {
  test(`as on the server: ${name}`, () => {
    const [latitude, longitude] = premises ?? [null, null];
    const sentence = `You tapped “I'm on site” ${distance} from the premises. Check that this is the right job. If it is, continue.`;
    assert.equal(farAwayText({ latitude, longitude }, position), distance ? sentence : "");
  });
}
