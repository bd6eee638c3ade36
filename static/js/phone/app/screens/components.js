// Components that several screens share; those of a job's screens are in job_components.js.

import { h, icon, noBreak } from "../dom.js";
import { _, plural } from "../i18n.js";
import { listOthersWithUnsent } from "../known_engineers.js";
import { formatDay, formatTime, unknownTime } from "../moment_texts.js";
import { isMoment } from "../time_zone.js";

/** @param {string} title @param {boolean} [hasProblems] */
export const pageTitle = (title, hasProblems = false) => `${hasProblems ? _("Error: ") : ""}${title} · ${_("Fibre dispatch")}`;

// Colour and icon as on the board and in the job's outcome: tests/data/state_look_vectors.json.
/** @param {Job} job @param {{ isNext?: boolean }} [options] @returns {StateStyle} */
export function stateStyle(job, { isNext = true } = {}) {
  if (job.state === "closed") return closedStyle(job);
  /** @type {Partial<Record<JobState, [slug: string, icon: string, word: string]>>} */
  const looks = {
    assigned: ["assigned", "user", isNext ? _("Next") : _("Later")],
    en_route: ["en-route", "arrow-right", _("En route")],
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

// "Sat 21 Nov, 09:12" in the language of the page.
/** @param {string} iso */
export function timestamp(iso) {
  const at = new Date(iso);
  if (!isMoment(at)) return h("span", {}, unknownTime());
  return h("time", { datetime: iso }, `${formatDay(at)}, ${formatTime(at)}`);
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
