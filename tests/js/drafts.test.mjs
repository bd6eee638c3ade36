// Which drafts stay on the phone when a new day arrives.

import "./browser.mjs";

import assert from "node:assert/strict";
import { test } from "node:test";

import { openDatabaseOf, read, resultOf } from "../../static/js/phone/app/database.js";
import { purgeDrafts, saveDraft } from "../../static/js/phone/app/drafts.js";

test("a draft stays while its job is here, also one that the server cannot show today", async () => {
  await openDatabaseOf("drafts");
  for (const job of ["J-1", "J-2", "J-3"]) await saveDraft(`/phone/jobs/${job}/close/`, { remarks: "No access." });

  await purgeDrafts({ jobs: [{ id: "J-1" }], broken: [{ id: "J-2", words: "This job can't be shown." }] });

  const keys = await read("values", ({ values }) => resultOf(values.getAllKeys()));
  assert.deepEqual(keys.toSorted(), ["draft /phone/jobs/J-1/close/", "draft /phone/jobs/J-2/close/"]);
});
