// The status line: always shown, never a pop-up.

import { h, icon } from "./dom.js";
import { updateDom } from "./dom_diff.js";
import { _, plural } from "./i18n.js";
import * as drafts from "./drafts.js";
import { isOverdue } from "./lone_worker.js";
import * as queue from "./queue.js";
import { lowStorageText, storage } from "./storage_quota.js";
import { connection, session } from "./api_client.js";

/** @type {QueueRow[]} */
let lastRows = [];
/** @type {{ timer: RunningTimer | null, unfinished: number }} */
let lastFacts = { timer: null, unfinished: 0 };

// `unfinished`: how much was begun that no page leads to.
/** @param {SendStatus} sending @param {QueueRow[] | null} [rows] @param {typeof lastFacts} [facts] */
export function showStatus(sending, rows = null, facts = lastFacts) {
  lastFacts = facts;
  if (rows) lastRows = rows;
  else queue.rows().then((found) => showStatus(sending, found));
  /** @type {HTMLElement | null} */
  const line = document.querySelector("[data-status]");
  if (!line || !rows) return;
  const { tone, sign, text, to = { href: "/phone/queue/" } } = statusText(sending, lastRows, facts);
  line.dataset.tone = tone;
  // only what is new is put in: a screen reader repeats nothing
  const fresh = /** @type {HTMLElement} */ (line.cloneNode(false));
  fresh.append(h("a", to, icon(sign), " ", h("span", {}, text)), photoProgressBar(sending));
  updateDom(line, fresh);
}

// Signing in comes back to this very page, whichever of its steps is missing.
export function signInLink() {
  return { href: `${session.address}?next=${encodeURIComponent(location.pathname + location.search)}`, "data-full-load": true };
}

/** @param {SendStatus} sending */
function photoProgressBar({ photo }) {
  if (!photo) return "";
  return h("progress", { max: 1, value: photo.part, "aria-label": _("Sending the photo") });
}

/** @param {SendStatus} sending @param {QueueRow[]} rows @param {Partial<typeof lastFacts>} [facts] @returns {{ tone: string, sign: string, text: string, to?: Attributes }} */
export function statusText(sending, rows, { timer = null, unfinished = 0 } = {}) {
  const here = queue.pendingRows(rows).length;
  const cards = queue.refusedRows(rows).length;
  const count = plural("%(number)s waiting to send", "%(number)s waiting to send", here);
  if (session.ended) return { tone: "alarm", sign: "lock", text: signedOutText(here, count), to: signInLink() };
  // whoever answers questions does not see the job's page, where the timer is
  if (isOverdue(timer)) return { tone: "alarm", sign: "warning", text: _("Check-in overdue. Tap here and say that you're OK."), to: { href: "/phone/" } };
  if (cards) return { tone: "alarm", sign: "warning", text: problemText(cards, here && count) };
  if (drafts.draftStatus.isLost) return { tone: "alarm", sign: "warning", text: _("This phone is full. What you type is not saved until you continue. Free up space.") };
  if (storage.low) return { tone: "warning", sign: "warning", text: here ? `${count}. ${lowStorageText()}` : lowStorageText() };
  if (!here && unfinished) return { tone: "warning", sign: "warning", text: plural("%(number)s unfinished answer or photo", "%(number)s unfinished answers or photos", unfinished) };
  if (!here && isOffline()) return { tone: "warning", sign: "wifi-off", text: _("Offline. All sent") };
  if (!here) return { tone: "good", sign: "check", text: _("All sent") };
  if (sending.state === "sending") return { tone: "calm", sign: "send", text: `${count} – ${_("sending now")}` };
  if (sending.serverErrors) return { tone: "warning", sign: "clock", text: `${count} – ${_("the server has a problem")}` };
  return { tone: "warning", sign: "wifi-off", text: automaticText(here) };
}

// A refused photo hides no closing that waits.
/** @param {number} cards @param {string | 0} waiting */
function problemText(cards, waiting) {
  const problems = plural("%(number)s problem", "%(number)s problems", cards);
  return waiting ? `${problems} · ${waiting}` : problems;
}

/** @param {number} here */
function automaticText(here) {
  return plural("%(number)s waiting to send – it sends automatically", "%(number)s waiting to send – they send automatically", here);
}

const isOffline = () => navigator.onLine === false || connection.lost;

/** @param {number} here @param {string} count */
function signedOutText(here, count) {
  return here ? `${count}. ${_("You are signed out. Sign in to send; nothing has been lost.")}` : _("You are signed out. Sign in to see updates; nothing has been lost.");
}
