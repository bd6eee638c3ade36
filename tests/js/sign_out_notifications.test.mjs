// Notifications end with the session, and with a sign-out that fails they go on.

import assert from "node:assert/strict";
import { test } from "node:test";

import { json, server } from "./browser.mjs";
import * as store from "../../static/js/phone/app/database.js";
import { NotSignedOut, signOut } from "../../static/js/phone/app/sign_out.js";

let isSubscribed = true;
const subscription = { unsubscribe: async () => void (isSubscribed = false) };
const registration = { pushManager: { getSubscription: async () => (isSubscribed ? subscription : null) } };
Object.defineProperty(globalThis, "navigator", { value: { serviceWorker: { getRegistration: async () => registration } }, configurable: true });

test("a sign-out without signal changes nothing; the next one ends the notifications of this phone", async () => {
  await store.openDatabaseOf("ERIN");
  server.answers = (path) => {
    if (path === "/logout/") throw new TypeError("no signal");
    return json({});
  };
  await assert.rejects(signOut("ERIN"), NotSignedOut);
  assert.deepEqual([isSubscribed, server.asked.map(({ path }) => path)], [true, ["/logout/"]]);

  server.answers = () => json({});
  await signOut("ERIN");
  assert.equal(isSubscribed, false);
});
