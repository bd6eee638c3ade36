// Sends a form of the board, and makes a refusal with its reason of whatever comes back. Without any answer the change may
// have been saved all the same, unless this computer was offline when it was sent. A page of the server's instead of JSON
// means that ours is out of date, or that the server failed.
import { LOGIN, signIn } from "../sign_in.js";
import { boardElement } from "../day/timeline.js";

/** The code of a refusal that a fresh page may heal. */
export const OUTDATED = "page_out_of_date";

/** The code of a refusal that is none: nobody knows what became of the change. */
export const NO_ANSWER = "no_answer";

const TIMEOUT_MS = 10_000;
// a hundred jobs for the nearest of a hundred engineers take 13 s of one processor
const TIMEOUT_MS_PER_JOB = 500;

/** @param {string | URL} url @param {URLSearchParams} body @returns {Promise<MoveAnswer>} */
export async function post(url, body) {
  /** @type {HTMLInputElement | null} */
  const field = document.querySelector("[name=csrfmiddlewaretoken]");
  const headers = { Accept: "application/json", "X-CSRFToken": field?.value ?? "" };
  const { notSent, maybeSaved } = boardElement().dataset;
  const isOffline = !navigator.onLine;
  const signal = AbortSignal.timeout(TIMEOUT_MS + TIMEOUT_MS_PER_JOB * Math.max(0, body.getAll("job").length - 1));
  const answer = await fetch(url, { method: "POST", headers, body, signal }).then(withText).catch(() => null);
  const result = answer ? read(answer) : isOffline ? refusal(notSent) : refusal(maybeSaved, NO_ANSWER);
  document.dispatchEvent(new CustomEvent("board:changed"));
  return result;
}

// the line may also break in the middle of an answer
/** @param {Response} answer */
const withText = async (answer) => ({ answer, text: await answer.text() });

/** @param {{ answer: Response, text: string }} received @returns {MoveAnswer} */
function read({ answer, text }) {
  const { notSaved, outOfDate, serverFailed } = boardElement().dataset;
  const found = parsed(text);
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

/** @param {string} text @returns {ServerAnswer | null} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @param {ServerAnswer | null} found @returns {found is MoveAnswer} */
function isRead(found) {
  return found?.ok === true || found?.html !== undefined || Array.isArray(found?.problems);
}

/** @param {string} message @param {string} [code] @returns {RefusedMove} */
function refusal(message, code = "") {
  return { ok: false, problems: [{ message, code }], suggestions: [], version: "", isLocal: true };
}
