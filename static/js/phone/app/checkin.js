// Working alone: a timer that alarms the office when nothing is heard by then. A part of the job's page on site.

import { h, icon } from "./dom.js";
import * as queue from "./queue.js";
import { isUnheard, runningTimer } from "./timer.js";
import { _, fill } from "./words.js";

const CHOICES = [30, 60, 120];

export function checkInPart({ job, day, rows }) {
  const timer = runningTimer(day, rows);
  if (!timer && job.state !== "on_site") return "";
  return h(
    "section.phone-check-in",
    { "aria-labelledby": "check-in-title" },
    h("h2", { id: "check-in-title" }, _("Working alone")),
    timer ? running(job, timer) : [unheard(day, rows), offered(job)],
  );
}

function unheard(day, rows) {
  if (!isUnheard(day, rows)) return "";
  const words = _("The office hears that you are well when there is signal. Until then it may look for you.");
  return h("p.notice.notice-warning", { role: "status" }, icon("wifi-off"), " ", h("span", {}, words));
}

function offered(job) {
  return [
    h("p", {}, _("Set a timer: the office is alarmed when it hears nothing of you by then.")),
    h("ul.plain-list.phone-contacts", {}, CHOICES.map((minutes) => h("li", {}, setButton(job, minutes)))),
  ];
}

function setButton(job, minutes, words = _("%(minutes)s min")) {
  const set = () => queue.add("check_in", job.id, { minutes });
  return h("button.phone-button", { type: "button", onclick: set }, icon("clock"), " ", fill(words, { minutes }));
}

function running(job, timer) {
  const { tone, sign, words } = standing(timer);
  const well = () => queue.add("check_in_done", timer.job, {});
  return [
    h(`p.notice.notice-${tone}`, { role: "status" }, icon(sign), " ", h("span", {}, words)),
    h(
      "ul.plain-list.phone-contacts",
      {},
      h("li", {}, h("button.phone-button", { type: "button", onclick: well }, icon("check"), " ", _("I am well"))),
      h("li", {}, setButton(job, 60, _("%(minutes)s min more"))),
    ),
  ];
}

// Nobody may rely on an office that has not heard of the timer.
function standing(timer) {
  const due = new Date(timer.due_at);
  const at = due.toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
  if (timer.isHere) {
    const words = _("Only on this phone: the office knows nothing of this timer until there is signal. Then it is alarmed at %(at)s, or at once when that is over.");
    return { tone: "warning", sign: "wifi-off", words: fill(words, { at }) };
  }
  if (due > new Date()) return { tone: "calm", sign: "clock", words: fill(_("The office is alarmed at %(at)s unless you say that you are well."), { at }) };
  return { tone: "alarm", sign: "warning", words: fill(_("You were due at %(at)s: the office is looking for you. Say that you are well."), { at }) };
}
