// My day: today's jobs in order, what is done, and what tomorrow holds.

import { isOutdated, planOf } from "../day_plan.js";
import { h, icon, unbroken } from "../dom.js";
import { callOffice } from "../office_phone.js";
import { urlOf } from "../workflow.js";
import { kept } from "../database.js";
import { _, dayWords, fill } from "../i18n.js";
import { lookOf, section, state, title } from "./components.js";

export async function dayScreen({ day }) {
  const { open, over, earlier, tomorrow } = planOf(day);
  const dates = datesOf(day);
  return {
    name: "day",
    title: title(_("My day")),
    body: [
      h("h1", {}, _("Today"), " ", h("span.muted", {}, dates.today)),
      wrongClock(await kept("clock_words")),
      outdated(day),
      open.length ? cards(open, (job) => ({ isNext: job === open[0] })) : nothing(over),
      over.length > 0 && section("over-title", _("Finished today"), cards(over)),
      earlier.length > 0 && section("earlier-title", _("Finished earlier"), cards(earlier)),
      section(
        "tomorrow-title",
        `${_("Tomorrow")} ${dates.tomorrow}`,
        tomorrow.length ? cards(tomorrow, () => ({ isNext: false })) : h("p.muted", {}, isOutdated(day) ? _("Not known without signal.") : _("Nothing planned yet.")),
      ),
      gone(day),
      broken(day),
    ],
  };
}

// In words: the server's, or this phone's where the server has told of an earlier day.
function datesOf(day) {
  if (!isOutdated(day)) return { today: day.day_words, tomorrow: day.tomorrow_words };
  const tomorrow = new Date();
  tomorrow.setDate(tomorrow.getDate() + 1);
  return { today: dayWords(new Date()), tomorrow: dayWords(tomorrow) };
}

function outdated(day) {
  if (!isOutdated(day)) return "";
  const words = fill(_("This list is of %(day)s. New jobs and changes appear when there is signal."), { day: day.day_words });
  return h("p.notice.notice-warning", { "data-outdated": day.day }, icon("wifi-off"), " ", h("span", {}, words));
}

const wrongClock = (words) => words && h("p.notice.notice-warning", { "data-clock": true }, icon("clock"), " ", h("span", {}, words));

function nothing(over) {
  const words = over.length
    ? _("Everything of today is done. The office may still give you a job: it appears here.")
    : _("No job for today. When the office gives you one it appears here; call the office if you expected one.");
  return [h("p.phone-empty", {}, icon("check"), " ", h("span", {}, words)), h("p.phone-ways", {}, callOffice())];
}

// No job leaves the list without a word.
function gone({ gone: jobs = [] }) {
  const line = ({ address, words }) => h("li", {}, h("b", {}, unbroken(address)), h("br"), words);
  return jobs.length > 0 && section("gone-title", _("Not with you any more"), h("ul.plain-list.phone-lines", {}, jobs.map(line)));
}

// what the server cannot show is named, so that the engineer can ask the office for it
function broken({ broken: jobs = [] }) {
  const line = ({ id, words }) => h("li", {}, h("b", {}, id), h("br"), words);
  return jobs.length > 0 && section("broken-title", _("Call the office about these jobs"), h("ul.plain-list.phone-lines", {}, jobs.map(line)), callOffice());
}

function cards(jobs, options = () => ({})) {
  return h("ol.plain-list.phone-cards", {}, jobs.map((job) => card(job, options(job))));
}

function card(job, options) {
  const look = lookOf(job, options);
  const { page } = job;
  return h(
    `li.phone-card.state-${look.slug}`,
    {},
    h(
      "a",
      { href: urlOf(job) },
      h("span.phone-card-top", {}, h("time.phone-card-time", {}, page.starts), " ", state(look)),
      h("span.phone-card-place", {}, unbroken(page.address)),
      h("span.phone-card-kind", {}, `${page.kind} · ${_("window")} `, h("time", {}, unbroken(page.window_hours))),
      badges(job),
      job.here > 0 && h("span.phone-here", {}, icon("wifi-off"), " ", _("only on this phone")),
    ),
  );
}

function badges({ page, hazards }) {
  if (!hazards && !page.flags.length) return "";
  return h(
    "span.phone-card-flags",
    {},
    hazards && h("span.badge.badge-alarm", {}, icon("warning"), " ", _("Hazards")),
    page.flags.map(({ icon: sign, words }) => h("span.badge.badge-warning", {}, icon(sign), " ", words)),
  );
}
