// The engineer's actions in one ordered queue. An entry is on the disk before the screen moves on. Its members are
// documented with their type (QueueRow in frontend/types/queue.d.ts).
//
// `revision` counts the server's answers; a synced entry is pruned once a day was requested after its revision. It is a
// counter of our own, since a phone's clock may be set back.

import { newId } from "./ids.js";
import { PENDING, REFUSED, SYNCED, supersedes } from "./queue_states.js";
import { resultOf, read, write } from "./database.js";
import { answeredPictures, findJob, removeFromAnswer } from "./answer_photos.js";
import { keepLineChecks } from "./line_state.js";

export { PENDING, REFUSED, SYNCED, refusedRows, pendingRows } from "./queue_states.js";

const events = new EventTarget();
const otherTabs = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("phone-queue");

// Another tab of the same engineer is notified too.
/** @param {() => void} listener */
export function onChange(listener) {
  events.addEventListener("change", listener);
  otherTabs?.addEventListener("message", listener);
}

function notifyChange() {
  events.dispatchEvent(new Event("change"));
  otherTabs?.postMessage("change");
}

// One tap. `picture` travels with it, in the same transaction. Raises StorageFull.
/** @template {EntryKind} Kind @param {Kind} kind @param {string} job @param {EntryBodies[Kind]} body @param {{ picture?: Picture | null, holdUntil?: number, occurredAt?: Date }} [more] */
export function add(kind, job, body, { picture = null, holdUntil = 0, occurredAt = new Date() } = {}) {
  return addAll([/** @type {JobTap} */ ({ kind, job, body, picture, holdUntil, occurredAt })]).then(([row]) => row);
}

// Several taps' worth that belong together: all of them are kept, or none. What the server refused of the same goes.
/** @param {JobTap[]} taps */
export async function addAll(taps) {
  const rows = taps.map(createRow);
  await write(["queue", "photos"], (stores) => addRows(stores, taps, rows));
  notifyChange();
  return /** @type {QueueRow[]} */ (rows);
}

// One tap instead of what has this key, which goes in the same transaction. Nothing where it is gone: sent before, by this
// page or another tab, or deleted.
/** @param {ValueKey} key @param {JobTap} tap */
export async function addInsteadOf(key, tap) {
  await write(["queue", "photos", "values"], async ({ queue, photos, values }) => {
    if (!(await resultOf(values.get(key)))) return;
    values.delete(key);
    await addRows({ queue, photos }, [tap], [createRow(tap)]);
  });
  notifyChange();
}

// As addAll, what the job as it stands in the same transaction is asked for: while one of two taps was at work, the other
// may have changed the answer that both are about.
/** @param {Job} job @param {(now: Job) => Tap[]} tapsFor */
export async function addFor(job, tapsFor) {
  const added = await write(["queue", "photos", "values"], async ({ queue, photos, values }) => {
    const now = (await findJob(values, await resultOf(queue.getAll()), job.id)) ?? job;
    const taps = tapsFor(now).map((tap) => ({ ...tap, job: job.id }));
    return addRows({ queue, photos }, taps, taps.map(createRow));
  });
  notifyChange();
  return added;
}

/** @param {Pick<Stores, "queue" | "photos">} stores @param {JobTap[]} taps @param {NewRow[]} rows */
async function addRows({ queue, photos }, taps, rows) {
  for (const { picture } of taps) if (picture) photos.put(picture);
  await dropSuperseded(queue, rows);
  // without the place of a first try that the phone cut off: somebody else may have it by now
  for (const row of rows) {
    delete row.at;
    row.at = await resultOf(queue.add(row));
  }
  return /** @type {QueueRow[]} */ (rows);
}

/** @param {QueueStore} queue @param {NewRow[]} rows */
async function dropSuperseded(queue, rows) {
  const refused = (await resultOf(queue.getAll())).filter(({ state }) => state === REFUSED);
  /** @param {QueueRow} old */
  const isSuperseded = (old) => rows.some(({ entry }) => supersedes(entry, old.entry));
  for (const old of refused.filter(isSuperseded)) queue.delete(old.at);
}

/** @param {JobTap} tap @returns {NewRow} */
function createRow({ kind, job, body, picture = null, holdUntil = 0, occurredAt = new Date() }) {
  const entry = /** @type {QueueEntry} */ ({ message_id: newId(), kind, job, occurred_at: occurredAt.toISOString(), body });
  const bytes = picture?.bytes?.byteLength ?? 0;
  return { entry, state: PENDING, photo: picture?.id ?? null, bytes, hold_until: holdUntil, problems: [], outcome: "" };
}

// All rows, oldest first.
export function rows() {
  return read("queue", ({ queue }) => resultOf(queue.getAll()));
}

// All rows, none of which waits for its position any more: what leaves this phone in a file does not change after it,
// since the server takes another content under the same id for a mistake.
export async function releaseHeldRows() {
  const released = await write("queue", async ({ queue }) => {
    const held = (await resultOf(queue.getAll())).filter((row) => row.hold_until > Date.now());
    for (const row of held) queue.put({ ...row, hold_until: 0 });
    return resultOf(queue.getAll());
  });
  notifyChange();
  return released;
}

// {day, rows} as of one moment. Read one after the other, what was sent in between could be in neither: a row is deleted when
// the day that knows it comes (pruneSynced), and an answered question would be asked again.
export function readDayAndRows() {
  return read(["values", "queue"], async ({ values, queue }) => {
    const [day, found] = await Promise.all([resultOf(values.get("day")), resultOf(queue.getAll())]);
    return { day, rows: found };
  });
}

/** @param {string} id */
export function getPhoto(id) {
  return read("photos", ({ photos }) => resultOf(photos.get(id)));
}

// `change(row)` gives the new row, or null to drop it; a row that was deleted in the meantime stays deleted.
/** @param {number} at @param {(row: QueueRow) => QueueRow | null} change */
export async function updateRow(at, change) {
  await write(["queue", "photos"], async ({ queue, photos }) => {
    const row = await resultOf(queue.get(at));
    if (!row) return;
    const next = change(row);
    if (next) queue.put(next);
    else queue.delete(at);
    if (!next && row.photo) photos.delete(row.photo);
  });
  notifyChange();
}

// The server has answered these messages. Once, whichever tab receives it.
/** @param {SyncResult[]} results */
export async function applyResults(results) {
  const byId = new Map(results.map((result) => [result.message_id, result]));
  await write(["queue", "values"], async ({ queue, values }) => {
    const revision = await nextRevision(values);
    for (const { at } of await resultOf(queue.getAll())) {
      // read again: a photo refused before has corrected it, under a new id without an answer yet, or removed it
      const row = await resultOf(queue.get(at));
      const result = row && byId.get(row.entry.message_id);
      if (!result || row.state !== PENDING) continue;
      const next = { ...row, ...settledState(row, result), revision };
      if (next.state === REFUSED && next.entry.kind === "close") next.pictures = await answeredPictures({ queue, values }, row);
      queue.put(next);
      if (next.photo && next.state === REFUSED) await removeFromAnswer({ queue, values }, /** @type {PhotoRow} */ (next), createRow);
    }
  });
  notifyChange();
}

// The server does not take this picture, or its bytes are gone: its answer names it no more, in the same transaction.
/** @param {number} at @param {Problem[]} problems */
export async function rejectPhoto(at, problems) {
  await write(["queue", "values"], async ({ queue, values }) => {
    const row = await resultOf(queue.get(at));
    if (!row) return;
    queue.put({ ...row, state: REFUSED, problems });
    await removeFromAnswer({ queue, values }, /** @type {PhotoRow} */ (row), createRow);
  });
  notifyChange();
}

// A picture that is deleted: out of its answer, and as if it had never been taken where nobody has received it.
/** @param {number} at */
export async function deletePhoto(at) {
  await write(["queue", "photos", "values"], async ({ queue, photos, values }) => {
    const row = /** @type {PhotoRow | undefined} */ (await resultOf(queue.get(at)));
    if (!row) return;
    await removeFromAnswer({ queue, values }, row, createRow);
    if (row.announced || row.state !== PENDING) return;
    queue.delete(at);
    photos.delete(row.photo);
  });
  notifyChange();
}

/** @param {ValueStore} values */
async function nextRevision(values) {
  const revision = ((await resultOf(values.get("revision"))) ?? 0) + 1;
  values.put(revision, "revision");
  return revision;
}

// Take it before the day is asked for, and give it to pruneSynced with the answer.
export async function currentRevision() {
  return (await read("values", ({ values }) => resultOf(values.get("revision")))) ?? 0;
}

/** @param {QueueRow} row @param {SyncResult} result @returns {Pick<QueueRow, "state" | "outcome" | "problems" | "announced">} */
function settledState(row, { outcome, problems }) {
  if (outcome === "refused") return { state: REFUSED, outcome, problems };
  // a picture is safe when its bytes are there, not when it was announced
  return { state: row.photo ? PENDING : SYNCED, outcome, problems, announced: true };
}

// The server has the bytes. The thumbnail stays for the screen until the day includes it.
/** @param {number} at */
export async function markPhotoStored(at) {
  await write(["queue", "values"], async ({ queue, values }) => {
    const row = await resultOf(queue.get(at));
    if (row) queue.put({ ...row, state: SYNCED, revision: await nextRevision(values) });
  });
  notifyChange();
}

// What a day that was asked for after this revision knows already: it need not be laid over that day any more.
// Kept together with the day, so that nothing is missing in between.
/** @param {number} revision @param {StoredDay} day */
export async function pruneSynced(revision, day) {
  await write(["queue", "photos", "values"], async ({ queue, photos, values }) => {
    const before = await resultOf(values.get("day"));
    // another tab asked later and was answered sooner
    if (revision && (before?.revision ?? 0) > revision) return;
    values.put({ ...keepLineChecks(day, before), revision }, "day");
    for (const row of await resultOf(queue.getAll())) {
      if (row.state !== SYNCED || (row.revision ?? 0) > revision) continue;
      // what came too late moved nothing, so the day does not include it: its text stays until tomorrow
      if (row.outcome === "late" && before?.day === day.day) continue;
      queue.delete(row.at);
      if (row.photo) photos.delete(row.photo);
    }
  });
}
