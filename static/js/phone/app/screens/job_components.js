// Components that several screens of a job share.

import { h, icon, noBreak } from "../dom.js";
import { _, fill, plural } from "../i18n.js";
import { changeTexts, describeRefusal } from "../job_notices.js";
import { callOfficeLink } from "../office_phone.js";
import { PENDING } from "../queue_states.js";
import { getProgress, jobUrl } from "../workflow.js";
import { stateStyle } from "./components.js";

/** @param {Job} job @param {string} backUrl */
export function jobHeader(job, backUrl) {
  return h(
    "p.phone-context",
    {},
    h("a.phone-back", { href: backUrl }, icon("chevron-left"), " ", _("Back")),
    " ",
    h("a.phone-job", { href: jobUrl(job) }, h("span", {}, noBreak(`${job.page.kind}, ${job.page.address}`))),
  );
}

// Line under line.
/** @param {Job} job */
export const addressLines = ({ page }) => h("p.phone-address", {}, page.address_lines.flatMap((line, at) => [at > 0 && h("br"), noBreak(line)]));

// Hazards and access: before driving and again on arrival.
/** @param {Job} job @param {string} [heading] */
export function cautionSection({ page }, heading = _("Before you start")) {
  if (!page.cautions.length && !page.flags.length) return "";
  /** @param {JobPage["cautions"][number]} caution */
  const caution = ({ slug, icon: sign, title, text }) =>
    h(`div.caution.caution-${slug}`, {}, icon(sign), h("div", {}, h("h3", {}, title), h("p.phone-lines-kept", {}, text)));
  /** @param {JobPage["flags"][number]} flag */
  const flag = ({ icon: sign, label }) => h("li", {}, icon(sign), " ", label);
  return h(
    "section.phone-cautions",
    { "aria-labelledby": "cautions-title" },
    h("h2", { id: "cautions-title" }, heading),
    page.cautions.map(caution),
    page.flags.length > 0 && h("ul.phone-flags", {}, page.flags.map(flag)),
  );
}

// `place`: which of several jobs they are about, for somebody who can't see it.
/** @param {Job} job @param {{ message?: boolean, place?: string }} [options] */
export function contactButtons({ page }, { message = true, place = "" } = {}) {
  if (!page.call_url && !page.navigate_url) return "";
  /** @param {string} label */
  const named = (label) => (place ? { "aria-label": `${label}, ${place}` } : {});
  /** @param {string} url @param {string} sign @param {string} label @param {Attributes} [more] */
  const button = (url, sign, label, more = {}) =>
    url && h("li", {}, h("a.phone-button", { href: url, ...named(label), ...more }, icon(sign), " ", label));
  return h(
    "ul.phone-button-list",
    {},
    button(page.call_url, "phone", _("Call")),
    message && button(page.message_url, "send", _("Message")),
    button(page.navigate_url, "map-pin", _("Navigate"), { rel: "noreferrer" }),
  );
}

/** @param {Job} job @param {Matrix} matrix @param {string} [closingCode] */
export function progressBar(job, matrix, closingCode = "") {
  const { done, total } = getProgress(job, matrix, closingCode);
  // nothing is asked before somebody is on site
  if (!total) return "";
  const text = fill(_("%(done)s of %(total)s answered"), { done, total });
  return h("p.phone-count", {}, h("label", { for: "progress" }, text), " ", h("progress", { id: "progress", max: total, value: done }));
}

// What was recorded here and is on this phone only; what the server refused, with what to do.
/** @param {Job} job @param {Matrix} matrix */
export function jobNotices(job, matrix) {
  return [
    job.pending > 0 && h("p.phone-pending", {}, icon("wifi-off"), " ", plural("%(number)s waiting to send", "%(number)s waiting to send", job.pending)),
    job.refused.map((row) => refusalNotice(row, describeRefusal(row, job, matrix))),
    changeTexts(job).map((text) => h("p.notice.notice-warning", {}, icon("info"), " ", h("span", {}, text))),
  ];
}

// Said where somebody has just arrived, too.
/** @param {Job} job */
export function farAwayNotice({ notices = [] }) {
  const found = notices.find(({ rule }) => rule === "far_from_premises");
  return found && h("p.notice.notice-warning", { "data-far-away": true }, icon("map-pin"), " ", h("span", {}, found.words));
}

// What the office wants again, where it is asked again; gone with the next answer.
/** @param {Job} job @param {Question} question */
export function sentBackNotice({ sent_back: items = [] }, { code }) {
  const found = items.find(({ question }) => question === code);
  return found && h("p.notice.notice-warning", { "data-sent-back": true }, icon("undo"), " ", h("span", {}, fill(_("The office sent this back: %(reason)s"), found)));
}

/** @param {QueueRow} row @param {ReturnType<typeof describeRefusal>} described */
function refusalNotice(row, { question, text, url, label }) {
  return h(
    "div.notice.notice-alarm",
    { "data-refused": row.entry.message_id },
    icon("warning"),
    h("div", {}, question && h("p", {}, h("b", {}, question)), h("p", {}, text), h("a", { href: url }, label)),
  );
}

/** @param {Job} job @param {string} [label] */
export function cantCompleteLink(job, label = _("Can't complete")) {
  return h("a.phone-button.phone-button-alarm", { href: jobUrl(job, "cant-complete") }, label);
}

// Who is at the same visit, and which of the two works through the job.
/** @param {Job} job */
export function teamNotice({ team }) {
  if (!team) return "";
  const text = team.is_second
    ? _("You accompany %(name)s, who works through the checklist and closes the job. You can read it here.")
    : _("%(name)s accompanies you. You work through the checklist and close the job.");
  const call = team.call_url && h("p.phone-more-actions", {}, h("a.phone-button", { href: team.call_url }, icon("phone"), " ", fill(_("Call %(name)s"), team)));
  return h("div.notice.notice-calm", { "data-team": true }, icon("users"), h("div", {}, h("p", {}, fill(text, team)), call));
}

// Nobody waits for this job any more: how it ended, as the server sent it or as it was closed on this phone.
/** @param {Job} job */
export function endedNotice(job) {
  const ended = job.page.ended ?? closedOnPhone(job);
  if (!ended) return "";
  const content = h("div", {}, h("h2", {}, ended.title), h("p", {}, ended.text), job.state === "cancelled" && callOfficeLink());
  return h(`div.phone-ended.state-${ended.slug}`, { role: "status" }, icon(ended.icon), content);
}

/** @param {Job} job @returns {JobOutcome | null} */
function closedOnPhone(job) {
  if (!job.closure) return null;
  const look = stateStyle(job);
  const { closure } = job;
  const code = job.closures.find(({ code }) => code === closure.code);
  const how = `${closure.code} · ${code?.description ?? ""}`;
  return { ...look, title: _("Closed on this phone"), text: job.pending ? `${how}. ${leaveText(job)}` : how };
}

/** @param {Job} job */
function leaveText({ photos = {} }) {
  const isWaiting = Object.values(photos).some(({ row }) => row?.state === PENDING);
  return isWaiting ? _("You can leave. It is sent automatically, after its photos.") : _("You can leave. It is sent automatically.");
}
