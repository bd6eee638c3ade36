// What "Correct the characters" fills in was sent with the scan, and is nothing unfinished until it is changed.

import assert from "node:assert/strict";
import { test } from "node:test";

import { lies } from "./browser.mjs";
import { tap } from "./elements.mjs";
import { openDatabaseOf } from "../../static/js/phone/app/database.js";
import { saveDraft } from "../../static/js/phone/app/drafts.js";
import { listUnfinishedWork } from "../../static/js/phone/app/unfinished_work.js";

// the page counts down as long as it is there, and a test would never end
globalThis.setInterval = () => {};
const { provisioningScreen } = await import("../../static/js/phone/app/screens/provisioning_screen.js");

const SCAN = { fsan: "CXNK00000001", serial_number: "1" };
const job = {
  id: "J1",
  state: "on_site",
  type: "installation",
  matrix: "m",
  has_ont_scan: true,
  expected_ont: {},
  scan: SCAN,
  result: { result_id: 6 },
  advice: null,
  answers: {},
  photos: {},
  refused: [],
  closures: [],
  page: { flags: [] },
};

test("the characters that were scanned are no work until they are corrected", async () => {
  await openDatabaseOf("ERIN");
  globalThis.history = { pushState: () => {} };
  const matrix = { edition: "m", questions: [] };
  const screen = await provisioningScreen({ job, matrix, day: { jobs: [job] }, path: "/phone/jobs/J1/provisioning/", wizard: {} });
  await tap(screen.body, "Correct the characters");
  const address = "/phone/jobs/J1/scan/";
  const unfinished = async () => (await listUnfinishedWork({ jobs: [] })).map(({ draft }) => draft.serial_number);
  // the page that comes waits for no disk
  const stored = () => lies("phone-ERIN").values[`draft ${address}`];
  while (!stored()) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(stored().fsan, SCAN.fsan);
  assert.deepEqual(await unfinished(), []);

  await saveDraft(address, { serial_number: "2" });
  assert.deepEqual(await unfinished(), ["2"]);
});
