// Sends a form of the board, and makes a refusal with its reason of whatever comes back: only without any answer is the
// board offline. A page of the server's instead of JSON means that ours is out of date, or that the server failed.
import { LOGIN, signIn } from "./sign_in.js";
import { boardElement } from "./timeline.js";

/** The code of a refusal that a fresh page may heal. */
export const OUTDATED = "page_out_of_date";

/** @param {string | URL} url @param {URLSearchParams} body @returns {Promise<MoveAnswer>} */
export async function post(url, body) {
  /** @type {HTMLInputElement | null} */
  const field = document.querySelector("[name=csrfmiddlewaretoken]");
  const headers = { Accept: "application/json", "X-CSRFToken": field?.value ?? "" };
  const answer = await fetch(url, { method: "POST", headers, body }).catch(() => null);
  const result = answer ? await read(answer) : refusal(boardElement().dataset.notSent);
  document.dispatchEvent(new CustomEvent("board:changed"));
  return result;
}

/** @param {Response} answer @returns {Promise<MoveAnswer>} */
async function read(answer) {
  const { notSaved, outOfDate, serverFailed } = boardElement().dataset;
  /** @type {ServerAnswer | null} */
  const found = await answer.json().catch(() => null);
  if (answer.status === 401 || answer.redirected) {
    signIn({ address: found?.address ?? (answer.redirected ? answer.url : LOGIN), isUnsaved: true });
    return refusal(notSaved);
  }
  if (isRead(found)) return found;
  if (found?.message) return refusal(found.message);
  // a job that is gone, or the form's token from before another sign-in
  if (answer.status === 403 || answer.status === 404) return refusal(outOfDate, OUTDATED);
  return refusal(serverFailed.replace("{status}", String(answer.status)));
}

/** @param {ServerAnswer | null} found @returns {found is MoveAnswer} */
function isRead(found) {
  return found?.ok === true || found?.html !== undefined || Array.isArray(found?.problems);
}

/** @param {string} message @param {string} [code] @returns {RefusedMove} */
function refusal(message, code = "") {
  return { ok: false, problems: [{ message, code }], suggestions: [], version: "" };
}
