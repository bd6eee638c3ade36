// The pure parts of the camera: is a picture worth keeping, the shape of an arrow, the strokes of a signature.

import assert from "node:assert/strict";
import { test } from "node:test";

import { FIRST_ARROW, moveArrow, arrowOutline } from "../../static/js/phone/app/camera/arrow_shape.js";
import { brightness, toGreyscale, isGood, sharpness, checkQuality } from "../../static/js/phone/app/camera/photo_quality.js";
import * as strokes from "../../static/js/phone/app/camera/signature_strokes.js";

const [WIDTH, HEIGHT] = [640, 480];

// `level(x, y)` as a grey picture.
function picture(level) {
  const data = new Uint8ClampedArray(4 * WIDTH * HEIGHT);
  for (let at = 0; at < WIDTH * HEIGHT; at += 1) data.fill(level(at % WIDTH, Math.floor(at / WIDTH)), 4 * at, 4 * at + 3);
  return { data, width: WIDTH, height: HEIGHT };
}

const edges = (light, darkness) => (x, y) => ((x >> 3) + (y >> 3)) % 2 ? light : darkness;
const soft = (x) => 128 + 90 * Math.sin(x / 20);

test("a sharp and light picture is good, also as a label", () => {
  assert.deepEqual(checkQuality(picture(edges(220, 60)), { label: true }), { blur: false, dark: false, unreadable: false });
  assert.equal(isGood(checkQuality(picture(edges(220, 60)))), true);
});

test("soft slopes without an edge are blurred", () => {
  assert.deepEqual(checkQuality(picture(soft)), { blur: true, dark: false, unreadable: false });
});

test("a plain wall around a sharp socket is no blur", () => {
  const socket = (x, y) => (x < 240 && y < 300 ? edges(220, 60)(x, y) : 200);

  assert.equal(checkQuality(picture(socket)).blur, false);
});

test("a lamp in a dark cellar makes no light picture", () => {
  const cellar = (x, y) => (x < 80 && y < 80 ? 255 : edges(40, 10)(x, y));

  assert.equal(checkQuality(picture(cellar)).dark, true);
});

test("print without contrast is unreadable, and asked for where there is a label only", () => {
  const faint = picture(edges(140, 126));

  assert.deepEqual([checkQuality(faint).unreadable, checkQuality(faint, { label: true }).unreadable], [false, true]);
});

test("brightness is what nine tenths stay below; a picture of one grey has no edges", () => {
  const grey = toGreyscale(picture((x) => (x < 320 ? 50 : 200)));

  assert.equal(brightness(grey), 200);
  assert.equal(sharpness(toGreyscale(picture(() => 90)), WIDTH, HEIGHT), 0);
});

const SIZE = { width: 1600, height: 1200 };
const across = { tail: { x: 0.1, y: 0.5 }, tip: { x: 0.9, y: 0.5 } };

test("an arrow ends in its tip, and its two halves mirror each other", () => {
  const corners = arrowOutline(across, SIZE);
  const tip = corners[3];

  assert.equal(corners.length, 7);
  assert.deepEqual([Math.round(tip.x), Math.round(tip.y)], [1440, 600]);
  for (const at of [0, 1, 2]) assert.ok(Math.abs(corners[at].y + corners[6 - at].y - 1200) < 1e-6);
  assert.ok(corners.every(({ x }) => x <= tip.x + 1e-6));
});

test("a touch without a way is no arrow", () => {
  assert.deepEqual(arrowOutline({ tail: { x: 0.5, y: 0.5 }, tip: { x: 0.51, y: 0.5 } }, SIZE), []);
});

test("keys begin an arrow, move its tip, with Shift its tail, and never beyond the picture", () => {
  assert.deepEqual(moveArrow(null, { key: "ArrowUp" }), FIRST_ARROW);
  assert.equal(moveArrow(null, { key: "a" }), null);
  assert.deepEqual(moveArrow(across, { key: "ArrowUp" }).tip, { x: 0.9, y: 0.48 });
  assert.deepEqual(moveArrow(across, { key: "ArrowLeft", shiftKey: true }).tail, { x: 0.08, y: 0.5 });
  assert.equal(moveArrow({ ...across, tip: { x: 1, y: 0 } }, { key: "ArrowRight" }).tip.x, 1);
});

test("a signature is more than a slip of the thumb, and its last stroke can be undone", () => {
  const dot = strokes.extendStroke(strokes.beginStroke(strokes.NO_STROKES, { x: 0.1, y: 0.5 }), { x: 0.15, y: 0.5 });
  const two = strokes.extendStroke(strokes.beginStroke(dot, { x: 0.2, y: 0.2 }), { x: 0.6, y: 0.6 });

  assert.deepEqual([strokes.isSigned(strokes.NO_STROKES), strokes.isSigned(dot), strokes.isSigned(two)], [false, false, true]);
  assert.deepEqual(strokes.undoStroke(two), dot);
  assert.deepEqual(strokes.undoStroke(strokes.NO_STROKES), []);
});

test("what is drawn is black on white, dots too", () => {
  const calls = [];
  const context = new Proxy({}, { get: (_target, name) => (...parameters) => calls.push([name, ...parameters]), set: () => true });

  strokes.paintStrokes(context, [[{ x: 0.5, y: 0.5 }]], { width: 200, height: 100 });

  assert.deepEqual(calls, [["fillRect", 0, 0, 200, 100], ["beginPath"], ["moveTo", 100, 50], ["lineTo", 100, 50], ["stroke"]]);
});
