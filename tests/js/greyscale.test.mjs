// What the scanner does to a picture before another look. Run with: node --test tests/js/greyscale.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  enlarge, averageRows, toGreyscale, normaliseLight, sharpen, rotateAndThin, removeScratches,
} from "../../static/js/phone/scan/greyscale.js";

const picture = (width, height, at) => {
  const data = Uint8Array.from({ length: width * height }, (_none, index) => at(index % width, Math.floor(index / width)));
  return { data, width, height };
};
const row = (grey, y) => Array.from(grey.data.slice(y * grey.width, (y + 1) * grey.width));

test("grey is weighed by what the eye sees", () => {
  const colours = { data: Uint8ClampedArray.of(255, 255, 255, 255, 255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255), width: 4, height: 1 };
  assert.deepEqual(row(toGreyscale(colours), 0), [255, 76, 150, 29]);
});

test("the middle is enlarged to the whole", () => {
  const seen = enlarge(picture(100, 50, (x) => x), 0.5);
  assert.deepEqual([seen.width, seen.height], [100, 50]);
  assert.ok(Math.abs(seen.data[0] - 25) <= 1 && Math.abs(seen.data[99] - 74) <= 1);
});

test("a quarter turn lays columns into rows", () => {
  const seen = rotateAndThin(picture(80, 80, (x) => (x < 40 ? 10 : 200)), 90, 8);
  assert.deepEqual([seen.width, seen.height], [80, 10]);
  const [first, last] = [row(seen, 1)[40], row(seen, 8)[40]];
  assert.deepEqual([first, last].sort((left, other) => left - other), [10, 200]);
});

test("rows become their mean", () => {
  const seen = averageRows(picture(3, 24, (x, y) => (y % 2 ? 100 : 0) + x), 12);
  assert.deepEqual([seen.width, seen.height], [3, 2]);
  assert.deepEqual(row(seen, 1), [50, 51, 52]);
});

test("an even picture stays as it is when it is sharpened", () => {
  assert.deepEqual(new Set(sharpen(picture(30, 20, () => 77), 2.2, 5).data), new Set([77]));
});

test("an edge becomes harder when it is sharpened", () => {
  const seen = row(sharpen(picture(40, 9, (x) => (x < 20 ? 80 : 160)), 2, 3), 4);
  assert.ok(seen[19] < 80 && seen[20] > 160);
  assert.deepEqual([seen[2], seen[37]], [80, 160]);
});

for (const [width, height] of [[1, 1], [2, 7], [9, 1]]) {
  test(`a picture of ${width} by ${height} is no fault`, () => {
    const tiny = picture(width, height, () => 5);
    const looks = [enlarge(tiny, 0.6), rotateAndThin(tiny, 45, 8), averageRows(tiny, 12), sharpen(tiny, 3, 3)];
    for (const seen of [...looks, normaliseLight(tiny), removeScratches(tiny)]) {
      assert.equal(seen.data.length, seen.width * seen.height);
    }
  });
}

test("a shadow across the paper disappears and the ink stays", () => {
  const ink = (x, y) => x % 24 < 6 && y > 20;
  const seen = normaliseLight(picture(320, 160, (x, y) => (ink(x, y) ? 30 : 210) / (x < 160 ? 3 : 1)));
  for (const x of [15, 63, 255, 303]) assert.ok(Math.abs(seen.data[100 * 320 + x] - 224) < 12, `paper at ${x}`);
  for (const x of [50, 290]) assert.ok(seen.data[100 * 320 + x] < 50, `ink at ${x}`);
});

test("a tenth of the light is made up for", () => {
  const seen = row(normaliseLight(picture(160, 80, (x) => (x % 24 < 6 ? 3 : 21))), 40);
  assert.ok(seen[15] > 210 && seen[50] < 50);
});

test("a scratch of one pixel is removed and a module stays", () => {
  const seen = removeScratches(picture(40, 40, (x, y) => (x >= 10 && x < 20 && y >= 10 && y < 20 ? 0 : y === 30 ? 90 : 200)));
  assert.equal(seen.data[30 * 40 + 5], 200);
  assert.equal(seen.data[15 * 40 + 15], 0);
});
