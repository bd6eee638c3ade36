// What was typed for a closing counts as sent once the closing is in the queue, and never before.

import assert from "node:assert/strict";
import { test } from "node:test";

import { databases, lies } from "./browser.mjs";
import { elementsOf } from "./elements.mjs";
import { openDatabaseOf, setValue } from "../../static/js/phone/app/database.js";
import { saveDraft } from "../../static/js/phone/app/drafts.js";
import { closeScreen } from "../../static/js/phone/app/screens/close_screen.js";

const PATH = "/phone/jobs/J1/close/";
const KEY = `draft ${PATH}?code=HAZ`;
const closure = { code: "HAZ", succeeds: false, in_trade_words: "Hazard", description: "Hazard", secondaries: [], remarks_required: true };
const job = { id: "J1", state: "on_site", type: "installation", matrix: "m", answers: {}, photos: {}, refused: [], pending: 0, closures: [closure], page: { flags: [] } };
const matrix = { edition: "m", questions: [] };

test("a closing that found no room leaves its remarks unsent", async () => {
  await openDatabaseOf("ERIN");
  await setValue("day", { jobs: [job], matrices: { m: matrix } });
  await saveDraft(`${PATH}?code=HAZ`, { remarks: "Loose tiles" });
  globalThis.document.querySelector = (selector) => (selector === "#remarks" ? { value: "Loose tiles" } : null);
  const page = await closeScreen({ job, matrix, path: PATH, search: new URLSearchParams("code=HAZ"), wizard: {} });
  const close = () => elementsOf(page.body).find(({ name }) => name === "form").onsubmit(new Event("submit"));
  const { values: rows } = databases.get("phone-ERIN").get("queue");
  rows.set = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  await close();
  assert.deepEqual(lies("phone-ERIN").values[KEY], { remarks: "Loose tiles" });

  delete rows.set;
  await close();
  // nobody waits for a sent draft to be written; the next one does
  await saveDraft(PATH, { remarks: "" });
  assert.deepEqual(lies("phone-ERIN").values[KEY], { remarks: "Loose tiles", sent: "yes" });
  assert.equal(Object.values(lies("phone-ERIN").queue)[0].entry.body.remarks, "Loose tiles");
});
