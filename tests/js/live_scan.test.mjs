// Which readings of the film count, with the reader of the phone's system (BarcodeDetector on Chrome for Android).

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { scanLive } from "../../static/js/phone/scan/live_scan.js";

const vendors = JSON.parse(readFileSync(new URL("../../dispatch/data/vendors.json", import.meta.url), "utf8"));
const FORMATS = ["qr_code", "data_matrix", "code_128"];
const bars = (rawValue) => ({ rawValue, format: "code_128" });
const square = (rawValue) => ({ rawValue, format: "qr_code" });
const WRONG = bars("CXNK00ABCDEE");
const RIGHT = bars("CXNK00ABCDEF");
const SERIAL = square("S/N: 123456789012");

// What a browser has: a camera whose film has a new picture whenever it is asked, and a detector that answers these.
function filmOf(answers) {
  const canvas = () => ({ getContext: () => ({ drawImage() {} }) });
  globalThis.document = { createElement: canvas };
  Object.defineProperty(globalThis, "navigator", { value: { userAgent: "Android 15" }, configurable: true });
  globalThis.BarcodeDetector = class {
    static getSupportedFormats = async () => FORMATS;
    detect = async () => answers.shift();
  };
  const video = { videoWidth: 1280, videoHeight: 720, readyState: 4, requestVideoFrameCallback: setImmediate };
  return { video, stream: { active: true }, isCropped: false };
}

const read = (answers) => scanLive(filmOf(answers), { vendors, expected: [], isWanted: () => answers.length > 0 });

test("a bar code that the system read once does not count", async () => {
  assert.equal(await read([[WRONG, SERIAL], [SERIAL], [SERIAL]]), null);
});

test("a bar code counts once two answers of the system agree", async () => {
  const { label, codes } = await read([[WRONG, SERIAL], [RIGHT, SERIAL], [RIGHT, SERIAL]]);
  assert.deepEqual([label.fsan, label.serial_number], ["CXNK00ABCDEF", "123456789012"]);
  assert.ok(!codes.includes("CXNK00ABCDEE"), codes);
});

test("the same bar code twice in one picture is one look", async () => {
  assert.equal(await read([[WRONG, WRONG, SERIAL], [SERIAL]]), null);
});
