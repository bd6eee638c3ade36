// What the scanner does to a picture before another look. Run with: node --test tests/js/grey.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";

import { enlarged, flattened, greyOf, sharpened, squeezed } from "../../static/js/phone/scan/grey.js";

const picture = (width, height, at) => {
  const data = Uint8Array.from({ length: width * height }, (_none, place) => at(place % width, Math.floor(place / width)));
  return { data, width, height };
};
const row = (grey, y) => [...grey.data.slice(y * grey.width, (y + 1) * grey.width)];

test("grey is weighed by what the eye sees", () => {
  const colours = { data: Uint8ClampedArray.of(255, 255, 255, 255, 255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255), width: 4, height: 1 };
  assert.deepEqual(row(greyOf(colours), 0), [255, 76, 150, 29]);
});

test("the middle is enlarged to the whole", () => {
  const seen = enlarged(picture(100, 50, (x) => x), 0.5);
  assert.deepEqual([seen.width, seen.height], [100, 50]);
  assert.ok(Math.abs(seen.data[0] - 25) <= 1 && Math.abs(seen.data[99] - 74) <= 1);
});

test("a quarter turn lays columns into rows", () => {
  const seen = squeezed(picture(80, 80, (x) => (x < 40 ? 10 : 200)), 90, 8);
  assert.deepEqual([seen.width, seen.height], [80, 10]);
  const [first, last] = [row(seen, 1)[40], row(seen, 8)[40]];
  assert.deepEqual([first, last].sort((one, other) => one - other), [10, 200]);
});

test("rows become their mean", () => {
  const seen = flattened(picture(3, 24, (x, y) => (y % 2 ? 100 : 0) + x), 12);
  assert.deepEqual([seen.width, seen.height], [3, 2]);
  assert.deepEqual(row(seen, 1), [50, 51, 52]);
});

test("an even picture stays as it is when it is sharpened", () => {
  assert.deepEqual(new Set(sharpened(picture(30, 20, () => 77), 2.2, 5).data), new Set([77]));
});

test("an edge becomes harder when it is sharpened", () => {
  const seen = row(sharpened(picture(40, 9, (x) => (x < 20 ? 80 : 160)), 2, 3), 4);
  assert.ok(seen[19] < 80 && seen[20] > 160);
  assert.deepEqual([seen[2], seen[37]], [80, 160]);
});

for (const [width, height] of [[1, 1], [2, 7], [9, 1]]) {
  test(`a picture of ${width} by ${height} is no fault`, () => {
    const tiny = picture(width, height, () => 5);
    for (const seen of [enlarged(tiny, 0.6), squeezed(tiny, 45, 8), flattened(tiny, 12), sharpened(tiny, 3, 3)]) {
      assert.equal(seen.data.length, seen.width * seen.height);
    }
  });
}
