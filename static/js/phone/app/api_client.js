// Requests to the server. `Unreachable`: nobody knows whether the request arrived, so it is retried later under the
// same ids.

import { setValue, getValue } from "./database.js";

// `status` where the server answered, and stumbled.
export class Unreachable extends Error {
  /** @param {string} message @param {{status?: number, cause?: unknown}} [more] */
  constructor(message, { status = 0, cause } = {}) {
    super(message, { cause });
    this.status = status;
  }
}
export class SignedOut extends Error {}

const DAY = "/phone/day.json";
export const LOGIN = "/login/";
// Whether the server's last word was that nobody, or somebody else, is signed in; and where signing in begins or goes on.
export const session = { ended: false, address: LOGIN };

// Whether the last question reached it.
export const connection = { lost: false };

// the words of a proxy that takes no more are a page of its own
const TOO_LARGE = { error: "too_large", where: "body", message: "The server takes nothing as large as this." };
const SECONDS = 30;
const CLOCK_TOLERATED_MS = 90_000;
const PHOTO_SECONDS = 180;

// The cookie is fresh after signing in again elsewhere; what the last answer gave serves where scripts cannot see it,
// and in the worker, which has no cookies.
export async function csrfToken() {
  const cookie = /(?:^|; )(?:__Host-csrf|csrftoken)=([^;]+)/.exec(globalThis.document?.cookie ?? "");
  return cookie?.[1] ?? (await getValue("csrf")) ?? "";
}

export async function request(path, options = {}) {
  let answer = await fetchOnce(path, options);
  if (answer.status === 403 && options.method) {
    // the token is an old one: the day brings a new one
    await setValue("csrf", (await fetchDay()).csrf_token);
    answer = await fetchOnce(path, options);
  }
  checkSignedIn(answer.status, { path, address: answer.status === 401 ? await loginAddress(answer) : "" });
  return answer;
}

async function fetchOnce(path, options) {
  try {
    const answer = await fetch(path, {
      signal: AbortSignal.timeout(SECONDS * 1000),
      ...options,
      credentials: "same-origin",
      redirect: "error",
      cache: "no-store",
      headers: { Accept: "application/json", "X-CSRFToken": await csrfToken(), ...options.headers },
    });
    connection.lost = false;
    return answer;
  } catch (cause) {
    connection.lost = true;
    throw new Unreachable("no connection", { cause });
  }
}

const loginAddress = (answer) => answer.json().then(({ address }) => address, () => "");

function checkSignedIn(status, { path = "", address = "" } = {}) {
  if (isSignedOut(status, path)) {
    Object.assign(session, { ended: true, address: address || LOGIN });
    throw new SignedOut("signed out");
  }
  if (status >= 500 || status === 403 || status === 429) throw new Unreachable(`answered ${status}`, { status });
  Object.assign(session, { ended: false, address: LOGIN });
}

// Who may not even ask for the day is somebody else: the office, or one who is no engineer any more.
function isSignedOut(status, path) {
  return status === 401 || status === 409 || (status === 403 && path === DAY);
}

async function parseJson(answer) {
  try {
    return await answer.json();
  } catch (cause) {
    throw new Unreachable("half an answer", { cause });
  }
}

// The day as the server sent it last and its ETag: every 20 seconds most phones are told that nothing has changed.
/** @type {{etag: string, day: any}} */
const lastDay = { etag: "", day: {} };

export async function fetchDay() {
  const answer = await request(DAY, { headers: lastDay.etag ? { "If-None-Match": lastDay.etag } : {} });
  if (answer.status !== 304) {
    if (!answer.ok) throw new Unreachable(`answered ${answer.status}`);
    lastDay.day = await parseJson(answer);
    lastDay.etag = answer.headers.get("ETag") ?? "";
  }
  return { ...lastDay.day, is_clock_right: isClockRight(answer) };
}

// Within what the server tolerates (engineers/clock_skew.py) and its way here: what it said of a wrong clock is over.
function isClockRight({ headers }) {
  const told = Date.parse(headers.get("Date") ?? "");
  return Math.abs(Date.now() - told) < CLOCK_TOLERATED_MS;
}

// The results in the order of the entries. Several that are refused as a whole are said one by one, so that a bad one
// among them stands alone; alone it is refused with the server's words.
export async function sendMessages(entries, engineer) {
  const answer = await request("/phone/sync", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ engineer, sent_at: new Date().toISOString(), messages: entries }),
  });
  const said = answer.status === 413 ? TOO_LARGE : await parseJson(answer);
  if (said.csrf_token) await setValue("csrf", said.csrf_token);
  if (said.clock_words !== undefined) await setValue("clock_words", said.clock_words);
  if (answer.ok) return said.results;
  if (entries.length === 1) return [refusedResult(entries[0], said)];
  const results = [];
  for (const entry of entries) results.push(...(await sendMessages([entry], engineer)));
  return results;
}

function refusedResult(entry, { error, where, message }) {
  return { message_id: entry.message_id, outcome: "refused", problems: [{ code: error, where, message, blocks: true }] };
}

// XMLHttpRequest, because fetch tells nothing of an upload's progress. Gives the problems of a refusal, or none.
export async function uploadPhoto(id, bytes, onProgress) {
  if (!globalThis.XMLHttpRequest) return uploadWithFetch(id, bytes);
  const csrf = await csrfToken();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", `/phone/photos/${id}`);
    request.timeout = PHOTO_SECONDS * 1000;
    request.setRequestHeader("X-CSRFToken", csrf);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Content-Type", "image/jpeg");
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    request.ontimeout = request.onerror = request.onabort = () => reject(new Unreachable("no connection"));
    request.onload = () => {
      try {
        checkSignedIn(request.status);
        resolve(photoProblems(request.status, JSON.parse(request.responseText)));
      } catch (problem) {
        reject(problem instanceof SyntaxError ? new Unreachable("half an answer") : problem);
      }
    };
    request.send(bytes);
  });
}

// In the worker, where nobody looks at a bar.
async function uploadWithFetch(id, bytes) {
  const headers = { "Content-Type": "image/jpeg" };
  const answer = await request(`/phone/photos/${id}`, { method: "PUT", body: bytes, headers, signal: AbortSignal.timeout(PHOTO_SECONDS * 1000) });
  return photoProblems(answer.status, await parseJson(answer));
}

// Only the server's own word makes a picture safe: a page for signing in is an answer of 200, too.
function photoProblems(status, { stored, problems }) {
  if (status < 300 && stored) return [];
  if (problems?.length) return problems;
  throw new Unreachable(`answered ${status}`, { status });
}
