// My day: today's jobs in order, finished jobs, and tomorrow's.

import { problemsAt } from "../actions.js";
import { isNextJob, isOutdated, isRescheduled, isUnassigned, planDay, serverNow } from "../day_plan.js";
import { h, icon, noBreak } from "../dom.js";
import { runningCheckInSection } from "../lone_worker.js";
import { callOfficeLink } from "../office_phone.js";
import { isLegal, jobUrl } from "../workflow.js";
import { getValue } from "../database.js";
import { _, fill, plural } from "../i18n.js";
import { formatDay } from "../moment_texts.js";
import { nextDate } from "../time_zone.js";
import { contactButtons } from "./job_components.js";
import { problemSummary, stateStyle, section, stateBadge, pageTitle } from "./components.js";

/** @typedef {{ isNext?: boolean, isAhead?: boolean }} CardOptions */

/** @param {ScreenContext} context */
export async function dayScreen(context) {
  const { day, unfinished } = context;
  const { open, over, earlier, tomorrow } = planDay(day);
  const dates = datesOf(day);
  return {
    name: "day",
    title: pageTitle(_("My day")),
    body: [
      problemSummary(problemsAt("/phone/")),
      h("h1", {}, _("Today"), " ", h("span.muted", {}, dates.today)),
      clockNotice(await getValue("clock_words")),
      outdatedNotice(day),
      unfinishedNotice(unfinished.length),
      runningCheckInSection(context),
      open.length ? cardList(open, (job) => ({ isNext: isNextJob(day, job), isAhead: isLegal("on_site", job) })) : emptyDay(over),
      kitList(day),
      over.length > 0 && section("over-title", _("Finished today"), cardList(over)),
      earlier.length > 0 && section("earlier-title", _("Finished earlier"), cardList(earlier)),
      section(
        "tomorrow-title",
        `${_("Tomorrow")} ${dates.tomorrow}`,
        tomorrow.length ? cardList(tomorrow, () => ({ isNext: false })) : h("p.muted", {}, isOutdated(day) ? _("Not available offline.") : _("Nothing planned yet.")),
      ),
      absentJobs(day),
      brokenJobs(day),
    ],
  };
}

// As text: the server's, or this phone's where the server has sent an earlier day.
/** @param {Day} day */
function datesOf(day) {
  if (!isOutdated(day)) return { today: day.day_words, tomorrow: day.tomorrow_words };
  const now = serverNow(day);
  return { today: formatDay(now), tomorrow: formatDay(nextDate(now)) };
}

/** @param {Day} day */
function outdatedNotice(day) {
  if (!isOutdated(day)) return "";
  const text = fill(_("This list is from %(day)s. New jobs and changes appear when there is signal."), { day: day.day_words });
  return h("p.notice.notice-warning", { "data-outdated": day.day }, icon("wifi-off"), " ", h("span", {}, text));
}

/** @param {string | undefined} text */
const clockNotice = (text) => text && h("p.notice.notice-warning", { "data-clock": true }, icon("clock"), " ", h("span", {}, text));

// What was begun and no page leads to.
/** @param {number} number */
function unfinishedNotice(number) {
  if (!number) return "";
  const text = plural(
    "%(number)s answer or photo has not been sent: you can't work on its job now.",
    "%(number)s answers or photos have not been sent: you can't work on their jobs now.",
    number,
  );
  return h("p.notice.notice-warning", { "data-unfinished": true }, icon("warning"), " ", h("span", {}, text, " ", h("a", { href: "/phone/queue/" }, _("Show unfinished work"))));
}

/** @param {Job[]} over */
function emptyDay(over) {
  const text = over.length
    ? _("All done for today. If the office assigns you another job, it appears here.")
    : _("No jobs today. New jobs appear here. If you expected one, call the office.");
  return [h("p.phone-empty", {}, icon("check"), " ", h("span", {}, text)), h("p.phone-more-actions", {}, callOfficeLink())];
}

// What to load before the first job.
/** @param {Day} day */
function kitList({ kit = [] }) {
  /** @param {{ text: string, places: string }} item */
  const line = ({ text, places }) => h("li", {}, h("b", {}, text), h("br"), h("span.muted", {}, places));
  return kit.length > 0 && section("kit-title", _("Kit for today"), h("ul.plain-list.phone-lines", {}, kit.map(line)));
}

// No job leaves the list without a notice.
/** @param {Day} day */
function absentJobs({ gone: jobs = [] }) {
  /** @param {{ address: string, words: string }} job */
  const line = ({ address, words: text }) => h("li", {}, h("b", {}, noBreak(address)), h("br"), text);
  /** @param {string} id @param {string} title @param {typeof jobs} some */
  const part = (id, title, some) => some.length > 0 && section(id, title, h("ul.plain-list.phone-lines", {}, some.map(line)));
  const [unassigned, rescheduled] = [jobs.filter(isUnassigned), jobs.filter(isRescheduled)];
  return [
    part("unassigned-title", _("Unassigned"), unassigned),
    part("rescheduled-title", _("Rescheduled"), rescheduled),
    part("gone-title", _("Reassigned"), jobs.filter((job) => ![...unassigned, ...rescheduled].includes(job))),
  ];
}

// what the server cannot show is named, so that the engineer can ask the office for it
/** @param {Day} day */
function brokenJobs({ broken: jobs = [] }) {
  /** @param {{ id: string, words: string }} job */
  const line = ({ id, words: text }) => h("li", {}, h("b", {}, id), h("br"), text);
  return jobs.length > 0 && section("broken-title", _("Call the office about these jobs"), h("ul.plain-list.phone-lines", {}, jobs.map(line)), callOfficeLink());
}

/** @param {Job[]} jobs @param {(job: Job) => CardOptions} [options] */
function cardList(jobs, options = () => ({})) {
  return h("ol.plain-list.phone-cards", {}, jobs.map((job) => card(job, options(job))));
}

/** @param {Job} job @param {CardOptions} options */
function card(job, options) {
  const look = stateStyle(job, options);
  const { page } = job;
  return h(
    `li.phone-card.state-${look.slug}`,
    {},
    h(
      "a",
      { href: jobUrl(job) },
      h("span.phone-card-top", {}, h("time.phone-card-time", {}, page.starts), " ", stateBadge(look)),
      h("span.phone-card-place", {}, noBreak(page.address)),
      h("span.phone-card-kind", {}, `${page.kind} · ${_("window")} `, h("time", {}, noBreak(page.window_hours))),
      job.team && h("span.phone-card-kind", {}, icon("users"), " ", fill(job.team.is_second ? _("You accompany %(name)s") : _("With %(name)s"), job.team)),
      badges(job),
      job.pending > 0 && h("span.phone-pending", {}, icon("wifi-off"), " ", _("waiting to send")),
    ),
    // nobody is there yet: the way there and the customer are one tap away
    options.isAhead && contactButtons(job, { message: false, place: page.address }),
  );
}

/** @param {Job} job */
function badges({ page, hazards, sent_back: sentBack = [] }) {
  if (!hazards && !page.flags.length && !sentBack.length) return "";
  return h(
    "span.phone-card-flags",
    {},
    sentBack.length > 0 && h("span.badge.badge-warning", {}, icon("undo"), " ", _("Sent back")),
    hazards && h("span.badge.badge-alarm", {}, icon("warning"), " ", _("Hazards")),
    page.flags.map(({ icon: sign, label }) => h("span.badge.badge-warning", {}, icon(sign), " ", label)),
  );
}
