// The camera in the page is not offered again where it did not open.

import assert from "node:assert/strict";
import { test } from "node:test";

const blocked = async () => {
  throw new DOMException("", "NotAllowedError");
};
Object.defineProperty(globalThis, "navigator", { value: { mediaDevices: { getUserMedia: blocked } }, configurable: true });
const { hasCamera, openCamera } = await import("../../static/js/phone/app/camera/live_camera.js");

test("a camera that is blocked leaves the next tap, of any question, to the phone's own", async () => {
  assert.equal(hasCamera(), true);
  await assert.rejects(openCamera({}), { name: "NotAllowedError" });
  assert.equal(hasCamera(), false);
});
