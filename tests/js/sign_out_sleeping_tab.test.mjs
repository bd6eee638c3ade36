// Another tab of this phone sleeps and holds a database that is to be deleted: nobody waits for it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { page } from "./browser.mjs";
import { openDatabaseOf, setValue } from "../../static/js/phone/app/database.js";
import { purgeOthers, rememberEngineer } from "../../static/js/phone/app/known_engineers.js";
import { signOut } from "../../static/js/phone/app/sign_out.js";

const DAY = { name: "Erin", export_key: "", jobs: [] };
const people = () => JSON.parse(localStorage.getItem("phone.people"));
const deletions = [];
// the browser goes on with it when the tab wakes
indexedDB.deleteDatabase = (name) => {
  const request = {};
  deletions.push(name);
  setImmediate(() => request.onblocked?.());
  return request;
};

test("a sign-out, and the next engineer's page, go on", async () => {
  for (const engineer of ["NORA", "ERIN"]) {
    await openDatabaseOf(engineer);
    await setValue("day", DAY);
    rememberEngineer(engineer);
  }
  await purgeOthers("ERIN");
  assert.deepEqual(people(), ["ERIN"]);

  await signOut("ERIN");
  assert.deepEqual([people(), deletions, page.left], [[], ["phone-NORA", "phone-ERIN"], ["/login/?next=/phone/"]]);
});
