// Asks our server to have the seller test a job's line. Nothing else waits for it: a check that fails leaves its reason,
// and the next one is independent of it.

import { request, SignedOut, Unreachable } from "./api_client.js";
import { resultOf, StorageFull, write } from "./database.js";
import { withLineCheck } from "./line_state.js";
import { _ } from "./i18n.js";

const TOO_MANY = 429;
/** @type {Set<string>} */
const running = new Set();
/** @type {Map<string, string>} */
const failures = new Map();

/** @param {Pick<Job, "id">} job */
export const isChecking = ({ id }) => running.has(id);

// Why the last check from this page gave no result, or "".
/** @param {Pick<Job, "id">} job */
export const checkFailure = ({ id }) => failures.get(id) ?? "";

// The result is stored with the day. `changed` is called when the check begins and when it ends. Raises nothing.
/** @param {Pick<Job, "id">} job @param {() => unknown} changed */
export async function checkLine({ id }, changed) {
  if (running.has(id)) return;
  running.add(id);
  failures.delete(id);
  changed();
  const failure = await askServer(id).catch(failureText);
  running.delete(id);
  if (failure) failures.set(id, failure);
  changed();
}

/** @param {string} id @returns {Promise<string>} */
async function askServer(id) {
  const answer = await request(`/phone/jobs/${encodeURIComponent(id)}/line-check`, { method: "POST" });
  if (!answer.ok) return refusalText(await answer.json());
  /** @type {LineCheckAnswer} */
  const { line_check: check } = await answer.json();
  await write("values", async ({ values }) => {
    const day = await resultOf(values.get("day"));
    if (day) values.put(withLineCheck(day, id, check), "day");
  });
  return "";
}

/** @param {Partial<Refusal>} refusal */
const refusalText = ({ message }) => message || noAnswerText();

/** @param {unknown} problem */
function failureText(problem) {
  if (problem instanceof SignedOut) return _("Sign in again to check the line.");
  if (problem instanceof StorageFull) return _("This phone is full, so the result was not saved. Free up space and check again.");
  if (!(problem instanceof Unreachable)) console.warn(problem);
  else if (problem.status === TOO_MANY) return _("The line was checked too often. Carry on, and check again in a minute.");
  else if (!problem.status) return _("No signal, so the line was not checked. Carry on, and check again when there is signal.");
  return noAnswerText();
}

const noAnswerText = () => _("The server did not answer, so the line was not checked. Carry on, and check again later.");
