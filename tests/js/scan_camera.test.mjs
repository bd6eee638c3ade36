// The camera of the scanner is never left running: the page may go, or the scanner close, while a lens is being opened.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import "./browser.mjs";
import * as camera from "../../static/js/phone/scan/scan_camera.js";

// What a browser has: two lenses, which open when the test wants it, and a page with a film.
const LENSES = [{ kind: "videoinput", deviceId: "wide" }, { kind: "videoinput", deviceId: "close" }];
let streams = [];
let openings = [];
let broken = "";
function openLens({ video }) {
  if (video.deviceId?.exact === broken) throw Object.assign(new Error("Could not start video source"), { name: "NotReadableError" });
  const track = { isStopped: false, stop: () => void (track.isStopped = true), getSettings: () => ({ deviceId: video.deviceId?.exact ?? "wide" }) };
  const stream = { track, getTracks: () => [track], getVideoTracks: () => [track], get active() { return !track.isStopped; } };
  streams.push(stream);
  return new Promise((resolve) => openings.push(() => resolve(stream)));
}
globalThis.document = { body: {}, addEventListener() {}, removeEventListener() {} };
globalThis.MutationObserver = class {
  observe() {}
  disconnect() {}
};
Object.defineProperty(globalThis, "navigator", { value: { mediaDevices: { getUserMedia: async (wanted) => openLens(wanted), enumerateDevices: async () => LENSES } }, configurable: true });

const settled = () => new Promise((resolve) => setImmediate(resolve));
const film = (isConnected = true) => ({ isConnected, play: async () => {}, srcObject: null });

async function openScanner(video = film()) {
  const opening = camera.openCamera(video);
  await settled();
  openings.pop()();
  return opening;
}

beforeEach(() => {
  [streams, openings, broken] = [[], [], "no lens"];
  localStorage.removeItem("phone.lens");
});

test("the scanner stays open while the next lens opens, and shows its film", async () => {
  const opened = await openScanner();
  const switching = camera.switchLens(opened);
  await settled();
  assert.deepEqual([camera.isOpen(opened), streams[0].active], [true, false]);
  openings.pop()();
  await switching;
  assert.deepEqual([camera.isOpen(opened), opened.video.srcObject === streams[1]], [true, true]);
});

test("a second tap opens no further lens", async () => {
  const opened = await openScanner();
  const switching = camera.switchLens(opened);
  await camera.switchLens(opened);
  await settled();
  openings.pop()();
  await switching;
  assert.equal(streams.length, 2);
});

test("a lens that opens after the scanner was closed is closed again", async () => {
  const opened = await openScanner();
  const switching = camera.switchLens(opened);
  await settled();
  camera.stop(opened);
  assert.equal(camera.isOpen(opened), false);
  openings.pop()();
  await switching;
  assert.deepEqual([streams[1].active, opened.video.srcObject], [false, null]);
});

test("a camera that opens after its page has gone is closed again", async () => {
  const opened = await openScanner(film(false));
  assert.deepEqual([camera.isOpen(opened), streams[0].active], [false, false]);
});

test("a lens that does not start is not remembered, and the one before films on", async () => {
  const opened = await openScanner();
  broken = "close";
  const switching = camera.switchLens(opened);
  await settled();
  openings.pop()();
  await switching;
  assert.deepEqual([camera.isOpen(opened), opened.video.srcObject === streams[1], localStorage.getItem("phone.lens")], [true, true, null]);
});

test("the lens that was switched to is remembered; one that no longer starts is forgotten, and another one films", async () => {
  const opened = await openScanner();
  const switching = camera.switchLens(opened);
  await settled();
  openings.pop()();
  await switching;
  assert.equal(localStorage.getItem("phone.lens"), "close");

  broken = "close";
  const again = await openScanner();
  assert.deepEqual([camera.isOpen(again), localStorage.getItem("phone.lens")], [true, null]);
});
