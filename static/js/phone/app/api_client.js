// Requests to the server. `Unreachable`: nobody knows whether the request arrived, so it is retried later under the
// same ids.

import { clockAhead } from "./clock_skew.js";
import { setValue, getValue } from "./database.js";
import { _ } from "./i18n.js";

// `status` where the server answered with an error.
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
// Whether the server last reported that nobody, or somebody else, is signed in; and where signing in starts or continues.
export const session = { ended: false, address: LOGIN };

// Whether the last question reached it.
export const connection = { lost: false };

// a proxy that refuses the size answers with a page of its own
const tooLarge = () => ({ error: "too_large", where: "body", message: _("This is too large for the server.") });
const SECONDS = 30;
const PHOTO_SECONDS = 180;

// Of this page; without one, of the service worker (phone/pwa.py).
const appVersion = () => globalThis.document?.body?.dataset?.version ?? globalThis.phoneVersion ?? "";

// The cookie is fresh after signing in again elsewhere; what the last answer gave serves where scripts cannot see it,
// and in the worker, which has no cookies.
export async function csrfToken() {
  const cookie = /(?:^|; )(?:__Host-csrf|csrftoken)=([^;]+)/.exec(globalThis.document?.cookie ?? "");
  return cookie?.[1] ?? (await getValue("csrf")) ?? "";
}

/** @returns {Promise<Record<string, string>>} */
const ownHeaders = async () => ({ "X-CSRFToken": await csrfToken(), "X-Phone-Version": appVersion() });

/** @param {string} path @param {RequestInit} [options] */
export async function request(path, options = {}, own = ownHeaders) {
  let answer = await fetchOnce(path, options, own);
  if (answer.status === 403 && options.method) {
    // the token is an old one: the day brings a new one
    await setValue("csrf", (await fetchDay()).csrf_token);
    answer = await fetchOnce(path, options, own);
  }
  checkSignedIn(answer.status, { path, address: answer.status === 401 ? await loginAddress(answer) : "" });
  return answer;
}

/** @param {string} path @param {RequestInit} options @param {() => Promise<Record<string, string>>} own */
async function fetchOnce(path, options, own) {
  try {
    const answer = await fetch(path, {
      signal: AbortSignal.timeout(SECONDS * 1000),
      ...options,
      credentials: "same-origin",
      redirect: "error",
      cache: "no-store",
      headers: { Accept: "application/json", ...(await own()), ...options.headers },
    });
    connection.lost = false;
    return answer;
  } catch (cause) {
    connection.lost = true;
    throw new Unreachable("no connection", { cause });
  }
}

/** @param {Response} answer @returns {Promise<string>} */
const loginAddress = (answer) => answer.json().then(({ address }) => address, () => "");

/** @param {number} status @param {{ path?: string, address?: string }} [asked] */
function checkSignedIn(status, { path = "", address = "" } = {}) {
  if (isSignedOut(status, path)) {
    Object.assign(session, { ended: true, address: address || LOGIN });
    throw new SignedOut("signed out");
  }
  if (status >= 500 || status === 403 || status === 429) throw new Unreachable(`answered ${status}`, { status });
  Object.assign(session, { ended: false, address: LOGIN });
}

// Who may not even ask for the day is somebody else: the office, or one who is no engineer any more.
/** @param {number} status @param {string} path */
function isSignedOut(status, path) {
  return status === 401 || status === 409 || (status === 403 && path === DAY);
}

/** @param {Response} answer */
async function parseJson(answer) {
  try {
    return await answer.json();
  } catch (cause) {
    throw new Unreachable("half an answer", { cause });
  }
}

// The day as the server sent it last and its ETag: every 20 seconds most phones get the answer that nothing has changed.
/** @type {{ etag: string, day: ServerDay | null }} */
const lastDay = { etag: "", day: null };

/** @returns {Promise<FetchedDay>} */
export const fetchDay = () => readDay(request(DAY, { headers: lastDay.etag ? { "If-None-Match": lastDay.etag } : {} }));

// The day that the page fetches while its script is still on the way (templates/phone/app/shell.html). The browser gives
// that answer to a request with no header of ours. Only for a phone without a queue: what is sent since is not in it.
export const fetchPreloadedDay = () => readDay(request(DAY, {}, async () => ({})));

/** @param {Promise<Response>} asked @returns {Promise<FetchedDay>} */
async function readDay(asked) {
  const answer = await asked;
  if (answer.status !== 304) {
    if (!answer.ok) throw new Unreachable(`answered ${answer.status}`);
    lastDay.day = await parseJson(answer);
    lastDay.etag = answer.headers.get("ETag") ?? "";
  }
  return { .../** @type {ServerDay} */ (lastDay.day), clock_ahead: clockAhead(answer) };
}

// The results in the order of the entries. Several that are refused as a whole are sent one by one, so that a bad one
// among them stands alone; alone it is refused with the server's message.
/** @param {QueueEntry[]} entries @param {string} engineer @returns {Promise<SyncResult[]>} */
export async function sendMessages(entries, engineer) {
  const answer = await request("/phone/sync", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ engineer, sent_at: new Date().toISOString(), messages: entries }),
  });
  /** @type {Partial<SyncAnswer & Refusal>} */
  const payload = answer.status === 413 ? tooLarge() : await parseJson(answer);
  if (payload.csrf_token) await setValue("csrf", payload.csrf_token);
  if (payload.clock_words !== undefined) await setValue("clock_words", payload.clock_words);
  if (answer.ok) return /** @type {SyncResult[]} */ (payload.results);
  if (entries.length === 1) return [refusedResult(entries[0], /** @type {Refusal} */ (payload))];
  /** @type {SyncResult[]} */
  const results = [];
  for (const entry of entries) results.push(...(await sendMessages([entry], engineer)));
  return results;
}

/** @param {QueueEntry} entry @param {Refusal} refusal @returns {SyncResult} */
function refusedResult(entry, { error, where, message }) {
  return { message_id: entry.message_id, outcome: "refused", problems: [{ code: error, where, message, blocks: true }] };
}

// The server answers 409 when somebody else than this engineer is signed in.
/** @param {string} id @param {string} engineer @param {string} [step] */
export const photoUrl = (id, engineer, step = "") => `/phone/photos/${id}${step}?engineer=${encodeURIComponent(engineer)}`;

// XMLHttpRequest, because fetch does not report an upload's progress. Gives the problems of a refusal, or none.
/** @param {string} url @param {ArrayBuffer} bytes @param {(part: number) => void} onProgress @returns {Promise<Problem[]>} */
export async function uploadPhoto(url, bytes, onProgress) {
  if (!globalThis.XMLHttpRequest) return uploadWithFetch(url, bytes);
  const csrf = await csrfToken();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", url);
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
/** @param {string} url @param {ArrayBuffer} bytes */
async function uploadWithFetch(url, bytes) {
  const headers = { "Content-Type": "image/jpeg" };
  const answer = await request(url, { method: "PUT", body: bytes, headers, signal: AbortSignal.timeout(PHOTO_SECONDS * 1000) });
  return photoProblems(answer.status, await parseJson(answer));
}

// Only the server's own confirmation makes a picture safe: a page for signing in is an answer of 200, too.
/** @param {number} status @param {{ stored?: boolean, problems?: Problem[] }} answer @returns {Problem[]} */
function photoProblems(status, { stored, problems }) {
  if (status < 300 && stored) return [];
  if (problems?.length) return problems;
  throw new Unreachable(`answered ${status}`, { status });
}
