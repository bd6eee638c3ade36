// What "Me" offers without signal, and where the page before signing out leads.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./browser.mjs";
import { linksOf, tap, textOf } from "./elements.mjs";
import { openDatabaseOf, setValue } from "../../static/js/phone/app/database.js";
import * as queue from "../../static/js/phone/app/queue.js";
import { leaveScreen, passwordLink } from "../../static/js/phone/app/screens/me_screen.js";
import { listUnfinishedWork } from "../../static/js/phone/app/unfinished_work.js";

function setSignal(onLine) {
  Object.defineProperty(globalThis, "navigator", { value: { onLine }, configurable: true });
}

test("the password's page is the server's: without signal a text says so", () => {
  setSignal(true);
  assert.deepEqual(linksOf(passwordLink()), ["/password/"]);
  setSignal(false);
  assert.deepEqual(linksOf(passwordLink()), []);
  assert.match(textOf(passwordLink()), /You need signal to change your password\./);
});

test("what was begun for a job that left the list is named, and can be looked at first", async () => {
  setSignal(true);
  await openDatabaseOf("ERIN");
  const day = { engineer: "ERIN", name: "Erin", jobs: [{ id: "J1", state: "on_site" }], gone: [{ id: "J2", address: "5 High St, LS1 2AB", rule: "unassigned" }], matrices: {} };
  await setValue("day", day);
  await setValue("draft /phone/jobs/J2/question/WRK01/", { value: "In the lo" });
  const leave = async () => leaveScreen({ day, rows: [], unfinished: await listUnfinishedWork(day) });
  const gone = await leave();
  assert.match(textOf(gone.body), /1 unfinished answer or photo is for a job that you can't work on now\. Only this phone has it\. Look at it/);
  assert.match(textOf(gone.body), /Answer to question WRK01.*In the lo.*5 High St, LS1 2AB, unassigned.*Sign out and keep it here/);
  assert.doesNotMatch(textOf(gone.body), /You have \d unfinished/);
  assert.deepEqual(linksOf(gone.body), ["/phone/me/", "/phone/queue/"]);

  await setValue("draft /phone/jobs/J1/close/", { remarks: "x" });
  assert.deepEqual(linksOf((await leave()).body), ["/phone/me/", "/phone/jobs/J1/close/"]);
});

test("a check-in that the office waits for is named before signing out, and can be done there", async () => {
  setSignal(true);
  await openDatabaseOf("OLA");
  const day = { engineer: "OLA", name: "Ola", jobs: [], matrices: {}, check_in: { job: "J1", due_at: new Date(Date.now() + 60_000).toISOString() } };
  const leave = async () => (await leaveScreen({ day, rows: await queue.rows(), unfinished: [] })).body;
  assert.match(textOf(await leave()), /The office is alerted at \d\d:\d\d unless you tap I'm OK\./);

  await tap(await leave(), "I'm OK");

  assert.deepEqual((await queue.rows()).map(({ entry }) => [entry.kind, entry.job]), [["check_in_done", "J1"]]);
  assert.doesNotMatch(textOf(await leave()), /I'm OK/);
});
