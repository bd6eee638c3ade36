// Records what the engineer taps: written to the queue on this phone first, then the screen moves on. Nothing here
// waits for the network.

import * as queue from "./queue.js";
import { currentPosition } from "./geolocation.js";
import { StorageFull } from "./database.js";
import { mountedAddress, render } from "./router.js";
import { applyQueue } from "./optimistic_state.js";
import { _ } from "./i18n.js";

export const HOLD_MS = 21_000;
const NO_FIX_YET = { missing_because: "closed_before_fix" };
// A picture's location was requested when the camera opened; what is recorded after it does not wait for satellites.
const PICTURE_HOLD_MS = 5_000;
const NO_FIX_IN_TIME = { missing_because: "no_fix_when_sent" };

/** @type {{ address: string, problems: ScreenProblem[] }} */
let lastProblems = { address: "", problems: [] };

// What a tap was for is not possible now: the message is for the engineer.
export class TapRefused extends Error {}

// Gives a wrapper of what buttons do: one tap of a page at a time, with a message when the phone is full. The page that
// has come meanwhile takes taps of its own.
/** @param {(problem: ScreenProblem, address: string) => unknown} [report] */
export function createOnTap(report = showFailure) {
  /** @type {Set<string>} */
  const busyPages = new Set();
  /** @template {Event} Tapped @param {(event: Tapped) => unknown} work @returns {(event?: Event) => Promise<void>} */
  const wrap = (work) => async (event) => {
    event?.preventDefault?.();
    const page = mountedAddress();
    if (busyPages.has(page)) return;
    busyPages.add(page);
    const address = location.pathname;
    try {
      await work(/** @type {Tapped} */ (event));
    } catch (problem) {
      await report(failureProblem(problem), address);
    } finally {
      busyPages.delete(page);
    }
  };
  return wrap;
}

export const onTap = createOnTap();

// For what may wait for the network: nobody else's tap is lost meanwhile, and a problem is shown on its own page only.
// A new try makes the problem of the last one invalid: its page is drawn again when it is done.
export function createOnSlowTap() {
  const onOneTap = createOnTap((problem, address) => (location.pathname === address ? showProblems([problem]) : null));
  /** @template {Event} Tapped @param {(event: Tapped) => unknown} work @returns {(event?: Event) => Promise<void>} */
  const wrap = (work) =>
    onOneTap((/** @type {Tapped} */ event) => {
      if (lastProblems.address === location.pathname) lastProblems = { address: "", problems: [] };
      return work(event);
    });
  return wrap;
}

// Whoever is on another page by now must know of it, too, but what they began there stays as it is.
/** @param {ScreenProblem} problem @param {string} address @returns {unknown} */
function showFailure(problem, address) {
  const { pathname } = location;
  if (pathname === address) return showProblems([problem]);
  lastProblems = { address: pathname, problems: [...problemsAt(pathname), problem] };
  return render();
}

/** @param {unknown} problem @returns {ScreenProblem} */
function failureProblem(problem) {
  if (problem instanceof TapRefused) return { message: problem.message };
  if (problem instanceof StorageFull) {
    return { message: _("This phone is full, so this was not saved. Earlier work is safe. Free up space and try again."), url: "/phone/queue/" };
  }
  console.error(problem);
  return { message: _("Something went wrong and this was not saved. Earlier work is safe. Please try again.") };
}

// All taps or none.
/** @param {JobTap[]} taps */
export async function recordTaps(taps) {
  const rows = await queue.addAll(taps);
  lastProblems = { address: "", problems: [] };
  return rows;
}

// Gives job and matrix as they stand afterwards, too.
/** @param {Job} job @param {Tap[]} taps */
export async function recordActions(job, taps) {
  return recordFor(job, () => taps);
}

// The taps depend on the job as it is when they are kept.
/** @param {Job} job @param {(now: Job) => Tap[]} tapsFor */
export async function recordFor(job, tapsFor) {
  const rows = await queue.addFor(job, tapsFor);
  lastProblems = { address: "", problems: [] };
  return { ...(await latestJob(job)), rows };
}

// The job as it is now: a page may have been drawn before the last tap or update.
/** @param {Job} job @returns {Promise<CurrentJob>} */
export async function latestJob(job) {
  const { day: storedDay, rows } = await queue.readDayAndRows();
  if (!storedDay) throw new Error("no day");
  const day = applyQueue(storedDay, rows);
  const now = day.jobs.find(({ id }) => id === job.id) ?? job;
  return { job: now, matrix: day.matrices[now.matrix] };
}

// On my way, on site: kept at once without a position, which is put in when it comes.
/** @param {Job} job @param {"en_route" | "on_site"} kind */
export async function recordWithPosition(job, kind) {
  const position = NO_FIX_YET;
  // on arrival the job keeps the questions that this phone shows, even if a later edition has started meanwhile
  /** @type {Tap} */
  const tap = kind === "on_site" ? { kind, body: { position, matrix: job.matrix } } : { kind, body: { position } };
  const after = await recordActions(job, [{ ...tap, holdUntil: Date.now() + HOLD_MS }]);
  fillPosition(after.rows[0].at, currentPosition());
  return after;
}

// `photo` is what camera/photo_field.js gives; `first` and `last(now)` are taps that are kept together with the picture.
/** @param {Job} job @param {TakenPhoto} photo @param {{ first?: Tap[], last?: (now: Job) => Tap[] }} taps */
export async function recordWithPhoto(job, { picture, body, position = null }, { first = [], last = () => [] }) {
  /** @type {Tap} */
  const announced = { kind: "photo_taken", body: { ...body, position: NO_FIX_IN_TIME }, picture, holdUntil: Date.now() + PICTURE_HOLD_MS };
  const after = await recordFor(job, (now) => [...first, announced, ...last(now)]);
  fillPosition(after.rows[first.length].at, position ?? currentPosition());
  return after;
}

/** @param {number} at @param {Promise<Position>} coming */
async function fillPosition(at, coming) {
  try {
    const position = await coming;
    await queue.updateRow(at, (row) => withPosition(row, position));
  } catch (problem) {
    console.error(problem);
  }
}

// A page that was left before its position came took the asking with it; its messages are held until they are too old.
export async function resumePositions() {
  const held = queue.pendingRows(await queue.rows()).filter((row) => row.hold_until > Date.now());
  if (!held.length) return;
  const coming = currentPosition();
  await Promise.all(held.map(({ at }) => fillPosition(at, coming)));
}

// It may be on its way to the server already: then it stays as it was recorded.
/** @param {QueueRow} row @param {Position} position @returns {QueueRow} */
function withPosition(row, position) {
  if (row.state !== queue.PENDING || row.hold_until <= Date.now()) return row;
  return { ...row, hold_until: 0, entry: /** @type {QueueEntry} */ ({ ...row.entry, body: { ...row.entry.body, position } }) };
}

// For what a tap does not supersede (queue_states.js): a picture that is retaken, an answer that stays as it was.
/** @param {Job} job @param {(entry: QueueEntry) => boolean} isSame */
export function dropRefused(job, isSame) {
  return Promise.all(job.refused.filter(({ entry }) => isSame(entry)).map(({ at }) => queue.updateRow(at, () => null)));
}

// --- what is wrong with what was just tapped: shown at the top and at the field until it is corrected ---

/** @param {ScreenProblem[]} problems */
export function showProblems(problems) {
  lastProblems = { address: location.pathname, problems };
  return render({ stays: true });
}

// A retyped value is validated again: the problems of the last tap no longer apply to this field of the page.
/** @param {string} field */
export function clearProblem(field) {
  if (lastProblems.address === location.pathname) lastProblems.problems = lastProblems.problems.filter((problem) => problem.field !== field);
}

/** @param {string} path */
export function problemsAt(path) {
  if (lastProblems.address !== path) lastProblems = { address: "", problems: [] };
  return lastProblems.problems;
}
