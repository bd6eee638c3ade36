// Components that several screens share.

import { h, icon, noBreak } from "../dom.js";
import { _, fill, formatDay, plural } from "../i18n.js";
import { changeTexts, describeRefusal } from "../job_notices.js";
import { listOthersWithUnsent } from "../known_engineers.js";
import { callOfficeLink } from "../office_phone.js";
import { getProgress, jobUrl } from "../workflow.js";

/** @param {string} title @param {boolean} [hasProblems] */
export const pageTitle = (title, hasProblems = false) => `${hasProblems ? _("Error: ") : ""}${title} · ${_("Fibre dispatch")}`;

// phone/job_details.py has the same of a closed job.
/** @param {Job} job @param {{ isNext?: boolean }} [options] @returns {StateStyle} */
export function stateStyle(job, { isNext = true } = {}) {
  if (job.state === "closed") return closedStyle(job);
  /** @type {Partial<Record<JobState, [slug: string, icon: string, word: string]>>} */
  const looks = {
    assigned: ["assigned", "user", isNext ? _("Next") : _("Later")],
    en_route: ["en-route", "arrow-right", _("On my way")],
    on_site: ["on-site", "house", _("On site")],
    cancelled: ["cancelled", "x", _("Cancelled")],
  };
  const [slug, sign, label] = looks[job.state] ?? ["unassigned", "circle", _("Not assigned to you")];
  return { slug, icon: sign, word: label };
}

/** @param {Job} job @returns {StateStyle} */
function closedStyle(job) {
  const code = job.closures.find(({ code }) => code === (job.closure?.code ?? job.closed_as));
  if (code?.succeeds) return { slug: "done", icon: "check", word: _("Done") };
  return { slug: "closed", icon: "check-bar", word: _("Closed") };
}

/** @param {StateStyle} look */
export function stateBadge(look) {
  return h(`span.state.state-${look.slug}`, {}, icon(look.icon), " ", h("span.state-word", {}, look.word));
}

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

/** @param {JobFact[]} list */
export function factList(list) {
  if (!list.length) return "";
  /** @param {JobFact} fact */
  const line = ({ name, value, is_code }) => h("div", {}, h("dt", {}, name), h("dd", { class: is_code && "code" }, is_code ? value : noBreak(value)));
  return h("dl.phone-facts", {}, list.map(line));
}

/** @param {string} id @param {string} title @param {...NestedChild} children */
export function section(id, title, ...children) {
  return h("section", { "aria-labelledby": id }, h("h2", { id }, title), children);
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

/** @param {Job} job @param {{ message?: boolean }} [options] */
export function contactButtons({ page }, { message = true } = {}) {
  /** @param {string} url @param {string} sign @param {string} label @param {Attributes} [more] */
  const button = (url, sign, label, more = {}) => url && h("li", {}, h("a.phone-button", { href: url, ...more }, icon(sign), " ", label));
  return h(
    "ul.phone-contacts",
    {},
    button(page.call_url, "phone", _("Call")),
    message && button(page.message_url, "send", _("Message")),
    button(page.navigate_url, "map-pin", _("Navigate"), { rel: "noreferrer" }),
  );
}

/** @param {Job} job @param {Matrix} matrix @param {string} [closingCode] */
export function progressBar(job, matrix, closingCode = "") {
  const { done, total } = getProgress(job, matrix, closingCode);
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

// The summary at the top: every line leads to the field or the page that mends it.
/** @param {ScreenProblem[]} problems */
export function problemSummary(problems) {
  /** @param {ScreenProblem} problem */
  const line = ({ message, url }) => h("li", {}, url ? h("a", { href: url }, message) : message);
  return h(
    "div.problem-summary",
    { "data-problems": true, role: "alert", tabindex: "-1", hidden: problems.length === 0 },
    h("h2", {}, _("Check the following")),
    h("ul", {}, problems.map(line)),
  );
}

// The one large button in the lower third.
/** @param {string} url @param {string} label @param {Attributes} [more] */
export function mainLink(url, label, more = {}) {
  return h("div.phone-action", {}, h("a.main-button", { href: url, ...more }, label));
}

/** @param {string} label @param {Attributes} [more] */
export function mainButton(label, more = {}) {
  return h("div.phone-action", {}, h("button.main-button", { form: "step", ...more }, label));
}

/** @param {Job} job @param {string} [label] */
export function cantCompleteLink(job, label = _("Can't complete")) {
  return h("a.phone-button.phone-button-alarm", { href: jobUrl(job, "cant-complete") }, label);
}

// "Sat 21 Nov, 09:12" in the language of the page.
/** @param {string} iso */
export function timestamp(iso) {
  const at = new Date(iso);
  const clock = at.toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
  return h("time", { datetime: iso }, `${formatDay(at)}, ${clock}`);
}

// What somebody else left on this phone: only they can send it.
/** @param {string} engineer */
export async function otherEngineersNotices(engineer) {
  return (await listOthersWithUnsent(engineer).catch(() => [])).map(({ name, entries }) => {
    const text = plural(
      "%(number)s update from %(name)s has not been sent from this phone. %(name)s must sign in to send it.",
      "%(number)s updates from %(name)s have not been sent from this phone. %(name)s must sign in to send them.",
      entries,
      { name },
    );
    return h("p.notice.notice-warning", { "data-other-engineers": true }, icon("user"), " ", h("span", {}, text));
  });
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
  return { ...look, title: _("Closed on this phone"), text: job.pending ? `${how}. ${_("You can leave. It will be sent when there is signal.")}` : how };
}
