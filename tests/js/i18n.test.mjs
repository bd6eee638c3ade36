// Words for people: English without Django's catalogue, the catalogue's where it is.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { _, fill, formatNumber, plural } from "../../static/js/phone/app/i18n.js";
import { formatDay } from "../../static/js/phone/app/moment_texts.js";

afterEach(() => {
  delete globalThis.gettext;
  delete globalThis.ngettext;
  delete globalThis.document;
});

test("without a catalogue the texts are English", () => {
  assert.equal(_("My day"), "My day");
  assert.equal(plural("%(number)s photo", "%(number)s photos", 1), "1 photo");
  assert.equal(plural("%(number)s photo", "%(number)s photos", 0), "0 photos");
});

test("the catalogue's translations are used where it has them", () => {
  globalThis.gettext = (text) => ({ "My day": "Mein Tag" })[text] ?? text;
  globalThis.ngettext = (_one, _many, number) => (number === 1 ? "%(number)s Foto" : "%(number)s Fotos");
  assert.equal(_("My day"), "Mein Tag");
  assert.equal(plural("%(number)s photo", "%(number)s photos", 3), "3 Fotos");
});

test("values replace their placeholders", () => {
  assert.equal(fill("%(done)s of %(total)s answered", { done: 3, total: 21 }), "3 of 21 answered");
});

test("a day has its year when it is not this one", () => {
  globalThis.document = /** @type {any} */ ({ documentElement: { lang: "en-GB" } });
  const today = new Date(2026, 10, 25);
  // with a comma or without one: versions differ
  assert.match(formatDay(new Date(2026, 0, 5), today), /^Mon,? 5 Jan$/);
  assert.match(formatDay(new Date(2025, 11, 31), today), /^Wed,? 31 Dec 2025$/);
});

test("a number has a minus sign, and a comma where the language has one", () => {
  assert.equal(formatNumber(-21.5, 1), "−21.5");
  assert.equal(formatNumber(-0, 1), "0.0");
  assert.equal(formatNumber(12000), "12000");
  globalThis.document = /** @type {any} */ ({ documentElement: { lang: "de" } });
  assert.equal(formatNumber(-21, 1), "−21,0");
  assert.equal(formatNumber(-8.25), "−8,25");
});
