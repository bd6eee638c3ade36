// What "Me" offers without signal, and where the page before signing out leads.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./browser.mjs";
import { linksOf, textOf } from "./elements.mjs";
import { openDatabaseOf, setValue } from "../../static/js/phone/app/database.js";
import { leaveScreen, passwordLink } from "../../static/js/phone/app/screens/me_screen.js";

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
  const day = { engineer: "ERIN", name: "Erin", jobs: [{ id: "J1", state: "on_site" }], gone: [{ id: "J2", rule: "taken_off" }], matrices: {} };
  await setValue("day", day);
  await setValue("draft /phone/jobs/J2/question/WRK01/", { value: "In the lo" });
  const gone = await leaveScreen({ day });
  assert.match(textOf(gone.body), /1 unfinished answer or photo is for a job that has ended or is no longer yours\./);
  assert.match(textOf(gone.body), /Answer to question WRK01.*In the lo.*Job J2, unassigned.*Sign out and keep it here/);
  assert.doesNotMatch(textOf(gone.body), /You have \d unfinished/);
  assert.deepEqual(linksOf(gone.body), ["/phone/me/", "/phone/queue/"]);

  await setValue("draft /phone/jobs/J1/close/", { remarks: "x" });
  assert.deepEqual(linksOf((await leaveScreen({ day })).body), ["/phone/me/", "/phone/jobs/J1/close/"]);
});
