// Working alone: a timer that alarms the office when nothing is heard by then. A part of the job's page on site.

import { h, icon } from "./dom.js";
import * as queue from "./queue.js";
import { isUnheard, runningTimer } from "./timer.js";
import { _, fill } from "./words.js";

const CHOICES = [30, 60, 120];

export function checkInPart({ job, day, rows }) {
  const timer = runningTimer(day, rows);
  const notice = timer ? "" : unheard(day, rows);
  if (!timer && !notice && job.state !== "on_site") return "";
  return h(
    "section.phone-check-in",
    { "aria-labelledby": "check-in-title" },
    h("h2", { id: "check-in-title" }, _("Working alone")),
    timer ? running(job, timer) : [notice, job.state === "on_site" && offered(job)],
  );
}

function unheard(day, rows) {
  if (!isUnheard(day, rows)) return "";
  const words = _("The office knows that you're OK once there is signal. Until then it may look for you.");
  return h("p.notice.notice-warning", { role: "status" }, icon("wifi-off"), " ", h("span", {}, words));
}

function offered(job) {
  return [
    h("p", {}, _("Set a timer: the office is alerted if you don't check in by then.")),
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
      h("li", {}, h("button.phone-button", { type: "button", onclick: well }, icon("check"), " ", _("I'm OK"))),
      h("li", {}, setButton(job, 60, _("%(minutes)s min more"))),
    ),
  ];
}

// Nobody may rely on an office that has not heard of the timer.
function standing(timer) {
  const due = new Date(timer.due_at);
  const at = due.toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
  if (timer.isHere) {
    const words = _("Only on this phone: the office doesn't know of this timer until there is signal. Then it is alerted at %(at)s, or at once if that has passed.");
    return { tone: "warning", sign: "wifi-off", words: fill(words, { at }) };
  }
  if (due > new Date()) return { tone: "calm", sign: "clock", words: fill(_("The office is alerted at %(at)s unless you tap I'm OK."), { at }) };
  return { tone: "alarm", sign: "warning", words: fill(_("You were due at %(at)s: the office is looking for you. Tap I'm OK."), { at }) };
}
