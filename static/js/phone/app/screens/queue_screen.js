// The queue: everything this phone has sent or will send, with its time and status.

import { rejectionText } from "../camera/photo_rejections.js";
import { h, icon } from "../dom.js";
import { describeRefusal } from "../job_notices.js";
import { callOfficeLink } from "../office_phone.js";
import * as sendQueue from "../send_queue.js";
import { listWaitingClosures, describeEntry, photoProgress, entryStatus } from "../entry_descriptions.js";
import * as queue from "../queue.js";
import { restoreDraft } from "../refused_drafts.js";
import { render } from "../router.js";
import { readCards } from "../unfinished_work.js";
import { session } from "../api_client.js";
import { signInLink } from "../status_line.js";
import { onTap, problemsAt } from "../actions.js";
import { _, fill, plural } from "../i18n.js";
import { timestamp, otherEngineersNotices, problemSummary, section, pageTitle } from "./components.js";
import { exportSection } from "./export_section.js";
import { unfinishedSection } from "./unfinished_section.js";

const ADDRESS = "/phone/queue/";
const MOST_SERVER_ERRORS = 5;
const LONGEST_REFUSAL_MS = 60 * 60_000;
let lastState = "";

// Updates of the sending: the bars move automatically, the rest is redrawn only when it changes.
sendQueue.onStatus(async () => {
  if (location.pathname !== ADDRESS) return;
  const state = `${sendQueue.status.state} ${sendQueue.status.photo?.id ?? ""}`;
  if (state !== lastState) await render();
  else moveBars(photoProgress(await queue.rows(), sendQueue.status.photo).part, sendQueue.status.photo?.part);
  lastState = state;
});

/** @param {number} whole @param {number | undefined} photo */
function moveBars(whole, photo) {
  /** @type {Record<string, number | undefined>} */
  const bars = { "photos-progress": whole, [`photo-${sendQueue.status.photo?.id}`]: photo };
  for (const [id, part] of Object.entries(bars)) document.getElementById(id)?.setAttribute("value", String(part ?? 0));
}

/** @param {ScreenContext} context */
export async function queueScreen({ day, rows, unfinished }) {
  const here = queue.pendingRows(rows);
  const cards = queue.refusedRows(rows);
  const wifi = { only: await sendQueue.isWifiOnly(), holds: !(await sendQueue.mayUploadPhotos()) };
  return {
    name: "queue",
    title: pageTitle(_("Sent and waiting")),
    body: [
      h("p.phone-context", {}, h("a.phone-back", { href: "/phone/" }, icon("chevron-left"), " ", _("My day"))),
      problemSummary(problemsAt(ADDRESS)),
      h("h1", {}, _("Sent and waiting")),
      (here.length > 0 || cards.length > 0 || !unfinished.length) && summary(here, cards),
      isStuck(here) && stuckCard(),
      sendingProgress(rows),
      await otherEngineersNotices(day.engineer),
      listWaitingClosures(rows, day.jobs).map((closure) => waitingClosureNotice(closure, day, wifi)),
      cards.length > 0 && section("cards-title", _("Problems"), cards.map((row) => problemCard(row, day))),
      unfinishedSection(await readCards(unfinished), day),
      entryList(rows.filter(({ state }) => state !== queue.REFUSED), day),
      section("wifi-title", _("Photos"), wifiSwitch(wifi.only)),
      exportSection(day, rows),
      here.length > 0 && sendNow(),
    ],
  };
}

/** @param {QueueRow[]} here @param {QueueRow[]} cards */
function summary(here, cards) {
  if (!here.length && !cards.length) return h("p.phone-answered", {}, icon("check"), " ", h("span", {}, _("All sent. The office has all your work.")));
  if (!here.length) return h("p", {}, _("Everything else was sent."));
  const count = plural("%(number)s waiting to send", "%(number)s waiting to send", here.length);
  return h("p", {}, h("b", {}, count), ". ", statusText(here.length), session.ended && [" ", h("a", signInLink(), _("Sign in"))]);
}

/** @param {number} waiting */
export function statusText(waiting) {
  if (session.ended) return _("You are signed out. Sign in to send; nothing has been lost.");
  if (sendQueue.status.state === "sending") return _("Sending now.");
  if (sendQueue.status.state === "broken") return _("Sending failed. It is retried automatically; nothing has been lost.");
  if (sendQueue.status.serverErrors) return _("The server has a problem. Sending is retried automatically; nothing has been lost.");
  return plural("It will be sent automatically when the connection allows it.", "They will be sent automatically when the connection allows it.", waiting);
}

// Whether the server keeps answering with an error while something has waited for long: a person has to look.
/** @param {QueueRow[]} here @param {number} [now] milliseconds of this phone's clock */
export function isStuck(here, now = Date.now()) {
  const isLong = here.some(({ entry }) => now - Date.parse(entry.occurred_at) > LONGEST_REFUSAL_MS);
  return isLong && sendQueue.status.serverErrors >= MOST_SERVER_ERRORS;
}

function stuckCard() {
  return h(
    "div.phone-missing.phone-more-actions",
    { "data-stuck": true },
    h("h2", {}, icon("warning"), " ", _("The server does not accept your updates")),
    h("p", {}, _("There is signal, but some have waited for over an hour. Call the office. It may ask you for the offline export below.")),
    callOfficeLink(),
  );
}

// All pictures of this round, by their bytes; the one on its way has a bar of its own at its line.
/** @param {QueueRow[]} rows */
function sendingProgress(rows) {
  const { done, all, part } = photoProgress(rows, sendQueue.status.photo);
  if (!all || sendQueue.status.state !== "sending") return "";
  const text = fill(_("Photos sent: %(done)s of %(all)s"), { done, all });
  return h("p.phone-count", {}, h("label", { for: "photos-progress" }, text), " ", h("progress", { id: "photos-progress", max: 1, value: part }));
}

// The server takes a closing with all its pictures: the notice says so, and that mobile data may carry them.
/** @param {{ row: QueueRow, photos: number }} waiting @param {Day} day @param {{ holds: boolean }} wifi */
function waitingClosureNotice({ row, photos }, day, wifi) {
  const { premises } = describeEntry(row, day);
  const offer = h("button.phone-button", { id: `mobile-${row.at}`, type: "button", onclick: startInBackground(sendQueue.sendPhotosOverMobile) }, icon("send"), " ", _("Send the photos over mobile data now"));
  return h("div.notice.notice-warning", {}, icon("clock"), h("div.phone-more-actions", {}, h("p", {}, waitingClosureText(premises, photos), " ", wifi.holds && _("Photos wait for Wi-Fi.")), wifi.holds && offer));
}

/** @param {string} place @param {number} photos */
export const waitingClosureText = (place, photos) =>
  plural("%(place)s can't be closed until %(number)s photo has been sent.", "%(place)s can't be closed until %(number)s photos have been sent.", photos, { place });

/** @param {QueueRow[]} rows @param {Day} day */
function entryList(rows, day) {
  if (!rows.length) return "";
  return section("entries-title", _("All updates, in order"), h("ol.plain-list.phone-lines", {}, rows.map((row) => entryLine(row, day))));
}

/** @param {QueueRow} row @param {Day} day */
function entryLine(row, day) {
  const { title, premises } = describeEntry(row, day);
  const { tone, icon: sign, words: state } = entryStatus(row);
  const photo = sendQueue.status.photo;
  return h(
    "li",
    { "data-entry": row.entry.message_id },
    h("span.phone-line-answer", {}, title),
    h("span.phone-line-question", {}, timestamp(row.entry.occurred_at), " · ", premises),
    h("span.phone-tone", { "data-tone": tone }, icon(sign), " ", state),
    photo && photo.id === row.photo && h("progress", { id: `photo-${row.photo}`, max: 1, value: photo.part, "aria-label": _("Sending the photo") }),
  );
}

// What the office did not take: why, and what to do. Nothing is sent from here automatically.
/** @param {QueueRow} row @param {Day} day */
function problemCard(row, day) {
  const { title, premises, url } = describeEntry(row, day);
  const problems = refusalText(row, day);
  return h(
    "div.phone-missing.phone-more-actions",
    { "data-refused": row.entry.message_id },
    h("h3", {}, icon("warning"), " ", title),
    h("p.muted", {}, timestamp(row.entry.occurred_at), " · ", premises),
    h("p", {}, problems || _("The office could not accept this.")),
    h("p", {}, url ? _("Open the step and do it again, then mark this as read.") : _("Call the office about this, then mark it as read.")),
    url ? h("a.phone-button", { href: url }, icon("arrow-right"), " ", _("Open the step again")) : callOfficeLink(),
    h("button.phone-button", { id: `read-${row.at}`, type: "button", onclick: onTap(() => markAsRead(row, day)) }, icon("check"), " ", markAsReadText(row)),
  );
}

/** @param {QueueRow} row @param {Day} day */
function refusalText(row, day) {
  const job = day.jobs.find(({ id }) => id === row.entry.job);
  return job ? describeRefusal(row, job, day.matrices[job.matrix]).text : rejectionText(row);
}

/** @param {QueueRow} row @param {Day} day */
async function markAsRead(row, day) {
  await restoreDraft(row, day);
  await queue.updateRow(row.at, () => null);
}

// A picture that was refused is nowhere else.
/** @param {QueueRow} row */
const markAsReadText = (row) => (row.photo ? _("Mark as read and delete the photo") : _("Mark as read"));

/** @param {boolean} isOn */
function wifiSwitch(isOn) {
  const toggle = onTap(async (/** @type {EventOn<HTMLInputElement>} */ event) => {
    await sendQueue.setWifiOnly(event.target.checked);
    await render();
  });
  const box = h("input", { id: "wifi-only", type: "checkbox", role: "switch", checked: isOn, onchange: toggle });
  const hint = _("Updates are small and are always sent. Closing a job waits for its photos.");
  return [h("label.phone-check", { for: "wifi-only" }, box, " ", _("Send photos over Wi-Fi only")), h("p.hint", {}, hint)];
}

function sendNow() {
  if (session.ended) return h("div.phone-action", {}, h("a.main-button", signInLink(), _("Sign in to send")));
  const button = h("button.main-button", { id: "send-now", type: "button", onclick: startInBackground(sendQueue.sendNow) }, icon("send"), " ", _("Send now"));
  return h("div.phone-action", {}, button);
}

// Begun, not waited for: sending may take minutes, and other taps work in the meantime.
/** @param {() => unknown} work */
function startInBackground(work) {
  return onTap(async () => {
    work();
  });
}
