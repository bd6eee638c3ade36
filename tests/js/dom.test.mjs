// What stays on one line: by the text alone.

import assert from "node:assert/strict";
import { test } from "node:test";

import { splitUnbreakable } from "../../static/js/phone/app/dom.js";

const together = (text) => splitUnbreakable(text).filter((piece) => piece.isTogether).map((piece) => piece.text);

test("postcodes, ranges of hours, telephone numbers, values with a unit", () => {
  assert.deepEqual(together("Flat 29, Carder Mill, LS30 3RS"), ["LS30 3RS"]);
  assert.deepEqual(together("Mon 23 Nov 08:00–13:00"), ["08:00–13:00"]);
  assert.deepEqual(together("Call 0113 496 0100 or +44 7700 900123."), ["0113 496 0100", "+44 7700 900123"]);
  assert.deepEqual(together("Number, 1 to 500 m"), ["500 m"]);
  assert.deepEqual(together("Usual: −27 to −8 dBm"), ["−8 dBm"]);
});

test("the text stays the same, and nothing is found in other text", () => {
  for (const text of ["24 Hunter's Cross", "Two minutes 10 metres", "", "LS30 3RS"]) {
    assert.equal(splitUnbreakable(text).map((piece) => piece.text).join(""), text);
  }
  assert.deepEqual(together("24 Hunter's Cross, 10 metres"), []);
});
