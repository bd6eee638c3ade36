// What was typed by hand and refused comes back as a draft; what was chosen by a button does not.

import assert from "node:assert/strict";
import { test } from "node:test";

import { draftFromEntry } from "../../static/js/phone/app/refused_drafts.js";

test("text, number, scan and reason come back to their fields", () => {
  const answered = (value, kind) => draftFromEntry({ kind: "answered", body: { question: "Q", value } }, { code: "Q", kind });

  assert.deepEqual(answered("In the loft", "text"), { value: "In the loft" });
  assert.deepEqual(answered(-19.3, "number"), { value: "-19.3" });
  assert.deepEqual(draftFromEntry({ kind: "handover_requested", body: { reason: "Ladder" } }), { reason: "Ladder" });
  assert.deepEqual(draftFromEntry({ kind: "ont_scanned", body: { fsan: "CXNK00ABCDEF", serial_number: "1234", scan_id: "s" } }), { fsan: "CXNK00ABCDEF", serial_number: "1234" });
  assert.equal(answered("yes", "yes_no"), null);
  assert.equal(answered(["a"], "photo"), null);
  assert.equal(draftFromEntry({ kind: "on_site", body: {} }), null);
});
