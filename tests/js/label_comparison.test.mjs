// What is said of a label's values that are not the expected ones, before and after the seller has decided.

import assert from "node:assert/strict";
import { test } from "node:test";

import { textOf } from "./elements.mjs";
import { differenceNotice, rejectedLabelNotice } from "../../static/js/phone/app/label_comparison.js";

const scan = { fsan: "CXNK00ABCDEF", serial_number: "261200123456" };
const expected = { fsan: "CXNK00123456", serial_number: "261200999999" };

test("another device may be used until the seller has rejected it", () => {
  assert.match(textOf(differenceNotice(scan, expected)), /^This is not the expected ONT. You may use it; the seller decides\./);
  const rejected = textOf(rejectedLabelNotice(scan, expected, ""));
  assert.match(rejected, /^This is not the expected ONT\./);
  assert.doesNotMatch(rejected, /You may use it/);
});
