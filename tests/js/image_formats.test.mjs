// What of a chosen file can be told from its bytes: the files of tests/data/picture_vectors.json, which
// tests/closures/test_picture_vectors.py runs against the server's decoder.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { fileProblem, detectFormat } from "../../static/js/phone/app/camera/image_formats.js";

const file = (path) => readFileSync(new URL(`../../${path}`, import.meta.url));
const decoded = (base64 = "") => Buffer.from(base64, "base64");

// The bytes in the file of vectors, or those of another file: the first `length` of them, with a `tail`.
function contentOf(vector) {
  const content = vector.file ? Buffer.concat([file(vector.file).subarray(0, vector.length), decoded(vector.tail)]) : decoded(vector.base64);
  return new Uint8Array(content);
}

for (const vector of JSON.parse(file("tests/data/picture_vectors.json"))) {
  test(vector.name, () => {
    assert.equal(detectFormat(contentOf(vector)), vector.format);
    assert.equal(fileProblem(contentOf(vector)), vector.problem);
  });
}
