// What a telephone dials: tests/data/phone_number_vectors.json, which tests/engineers/test_phone_urls.py reads too.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { telUrl } from "../../static/js/phone/app/office_phone.js";

const VECTORS = JSON.parse(await readFile(new URL("../data/phone_number_vectors.json", import.meta.url), "utf8"));

for (const { text, dialled } of VECTORS) {
  test(`${text} is dialled as ${dialled}`, () => {
    assert.equal(telUrl(text), `tel:${dialled}`);
  });
}
