// My day: today's jobs in order, what is done, and what tomorrow holds.

import { h, icon } from "../dom.js";
import { urlOf } from "../steps.js";
import { kept } from "../store.js";
import { _ } from "../words.js";
import { lookOf, section, state, title } from "./parts.js";

const OVER = ["closed", "cancelled"];
const UNDER_WAY = ["en_route", "on_site"];

export async function dayScreen({ day }) {
  const today = day.jobs.filter((job) => job.is_today || UNDER_WAY.includes(job.state));
  // what is under way comes first; the rest keeps the order of the plan
  const open = today.filter(({ state: now }) => !OVER.includes(now)).sort((a, b) => under(b) - under(a));
  const over = today.filter(({ state: now }) => OVER.includes(now));
  const tomorrow = day.jobs.filter((job) => !today.includes(job));
  return {
    name: "day",
    title: title(_("My day")),
    body: [
      h("h1", {}, _("Today"), " ", h("span.muted", {}, day.day_words)),
      wrongClock(await kept("clock_words")),
      open.length ? cards(open, (job) => ({ isNext: job === open[0] })) : nothing(over),
      over.length > 0 && section("over-title", _("Finished today"), cards(over)),
      section(
        "tomorrow-title",
        `${_("Tomorrow")} ${day.tomorrow_words}`,
        tomorrow.length ? cards(tomorrow, () => ({ isNext: false })) : h("p.muted", {}, _("Nothing planned yet.")),
      ),
      gone(day),
    ],
  };
}

const wrongClock = (words) => words && h("p.notice.notice-warning", { "data-clock": true }, icon("clock"), " ", h("span", {}, words));

const under = (job) => Number(UNDER_WAY.includes(job.state));

function nothing(over) {
  const words = over.length
    ? _("Everything of today is done. The office may still give you a job: it appears here.")
    : _("No job for today. When the office gives you one it appears here; call the office if you expected one.");
  return h("p.phone-empty", {}, icon("check"), " ", h("span", {}, words));
}

// No job leaves the list without a word.
function gone({ gone: jobs = [] }) {
  const line = ({ address, words }) => h("li", {}, h("b", {}, address), h("br"), words);
  return jobs.length > 0 && section("gone-title", _("Not with you any more"), h("ul.plain-list.phone-lines", {}, jobs.map(line)));
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
      h("span.phone-card-place", {}, page.address),
      h("span.phone-card-kind", {}, `${page.kind} · ${_("window")} `, h("time", {}, page.window_hours)),
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
