// Signs out: the session ends on the server first, then this phone forgets the engineer and purges the jobs. Unsent
// entries stay, under the engineer's name, until they sign in again.

import { purgeOwn } from "./data_retention.js";
import * as database from "./database.js";
import { forgetEngineer } from "./known_engineers.js";
import * as push from "./push_subscription.js";
import { csrfToken } from "./api_client.js";
import { setEngineer } from "./current_engineer.js";

const SECONDS = 30;

export class NotSignedOut extends Error {}

/** @param {string} engineer */
export async function signOut(engineer) {
  await endSession();
  // not sooner: without signal nobody is signed out, and the notifications go on
  await push.dropSubscription().catch(() => {});
  const isEmpty = await purgeOwn();
  database.closeForGood();
  await setEngineer("");
  if (isEmpty) await database.deleteDatabaseOf(engineer);
  if (isEmpty) forgetEngineer(engineer);
  // who returns to this page by Back starts again
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
  location.assign("/login/?next=/phone/");
}

// A redirection is the answer of a sign-out that worked, and of a session that had ended already.
async function endSession() {
  /** @type {Response} */
  let answer;
  try {
    answer = await fetch("/logout/", {
      method: "POST",
      redirect: "manual",
      credentials: "same-origin",
      signal: AbortSignal.timeout(SECONDS * 1000),
      headers: { "X-CSRFToken": await csrfToken() },
    });
  } catch (cause) {
    throw new NotSignedOut("no connection", { cause });
  }
  if (answer.type !== "opaqueredirect" && !answer.ok) throw new NotSignedOut(`answered ${answer.status}`);
}
