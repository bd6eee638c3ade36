// Polls the job's version while the seller's answer to a scan is awaited. Everything else comes with the day, every
// half minute, and with a notification. A hidden page polls nothing.

import { request } from "./api_client.js";
import { serverTime } from "./clock_skew.js";
import { isProvisioned } from "./workflow.js";

const FAST_MS = 2_000;
const FAST_FOR_MS = 3 * 60_000;
const SLOW_MS = 15_000;
const TICK_MS = 1_000;

// Whether the seller owes an answer to the ONT that was scanned last.
/** @param {Job | undefined} job @returns {job is Job} */
export function isAwaitingResult(job) {
  if (job?.state !== "on_site" || !job.scan || job.scan.is_pending || isProvisioned(job)) return false;
  return !job.result || Boolean(job.advice?.is_waiting);
}

// How long between two questions, in milliseconds; Infinity where nothing is awaited. `since` is when this page began
// to wait. An attempt that the seller announced is awaited from its own time on, which is of the server's clock.
/** @param {Job | undefined} job @param {number} since @param {number} [now] both milliseconds of this phone's clock */
export function pollInterval(job, since, now = Date.now()) {
  if (!isAwaitingResult(job)) return Infinity;
  const waited = Math.min(now - since, serverTime(now) - (Date.parse(job.advice?.until ?? "") || 0));
  return waited >= 0 && waited < FAST_FOR_MS ? FAST_MS : SLOW_MS;
}

// `jobAt(id)` gives the job as it was last drawn, or none; `refresh` asks for the day.
/** @param {(id: string) => Job | undefined} jobAt @param {() => Promise<void>} refresh */
export function startJobPolling(jobAt, refresh) {
  const waiting = { name: "", since: 0, askedAt: 0 };
  const tick = async () => {
    await poll(waiting, jobAt, refresh).catch(() => {});
    setTimeout(tick, TICK_MS);
  };
  tick();
}

/** @param {{ name: string, since: number, askedAt: number }} waiting @param {(id: string) => Job | undefined} jobAt @param {() => Promise<void>} refresh */
async function poll(waiting, jobAt, refresh) {
  if (document.hidden || !navigator.onLine) return;
  const job = jobAt(decodeURIComponent(/^\/phone\/jobs\/([^/]+)\//.exec(location.pathname)?.[1] ?? ""));
  const now = Date.now();
  const name = job ? `${job.id} ${job.scan?.scanned_at} ${job.result?.result_id}` : "";
  if (waiting.name !== name) Object.assign(waiting, { name, since: now });
  if (!job || now - waiting.askedAt < pollInterval(job, waiting.since, now)) return;
  waiting.askedAt = now;
  const answer = await request(`/phone/jobs/${encodeURIComponent(job.id)}/version.json`);
  // no answer about it: it is not with this engineer any more
  if (!answer.ok || (await answer.json()).version !== job.version) await refresh();
}
