// Setting off and arriving: what must not be missed stands before the button, then one tap.

import { h, icon, unbroken } from "../dom.js";
import { isLocationDenied } from "../geolocation.js";
import { go } from "../router.js";
import { nextStep, nextUrl, urlOf } from "../workflow.js";
import { once, tapWithPosition } from "../actions.js";
import { _, fill } from "../i18n.js";
import { frame } from "./step_layout.js";
import * as parts from "./components.js";

export function travelScreen(context) {
  const { job } = context;
  return wayScreen(context, {
    name: "travel",
    title: _("On my way"),
    heading: _("Setting off"),
    cautions: _("Before you set off"),
    kind: "en_route",
    from: ["assigned"],
    hint: _("Your position is noted once, when you tap. The office and the seller are told that you are coming."),
    words: [_("On my way"), _("I have read it: on my way")],
    ways: h("p.phone-ways", {}, h("a.phone-button", { href: urlOf(job, "arrive") }, _("I'm already there")), parts.cantComplete(job)),
  });
}

export function arriveScreen(context) {
  return wayScreen(context, {
    name: "arrive",
    title: _("I'm on site"),
    heading: _("Arriving"),
    kind: "on_site",
    from: ["assigned", "en_route"],
    hint: _("Tap when you stand at the premises. Your position is noted once, when you tap."),
    words: [_("I'm on site"), _("I have read it: I'm on site")],
    // what must not be missed was read before setting off: it stands there, and is not asked about again
    isRead: context.job.state === "en_route",
  });
}

function wayScreen(context, step) {
  const { job, matrix, trail } = context;
  const isNow = step.from.includes(job.state);
  const next = nextStep(job, matrix);
  return frame(context, {
    ...step,
    body: [
      h("h1", {}, step.heading),
      isNow && elsewhere(context),
      parts.cautions(job, step.cautions),
      isNow && asksToRead(job, step) && button(context, step),
      parts.addressLines(job),
      h("p", {}, `${_("Promised")} `, h("b", {}, h("time", {}, unbroken(job.page.window)))),
      parts.contacts(job, { message: false }),
      isNow ? position(step) : done(),
    ],
    bar: isNow ? !asksToRead(job, step) && button(context, step) : next && parts.mainLink(nextUrl(job, matrix, trail), next.label),
  });
}

// Another job that nobody has closed: said, and nothing is stopped by it.
function elsewhere({ job, day }) {
  const other = day.jobs.find((one) => one.id !== job.id && one.state === "on_site");
  if (!other) return "";
  const words = [h("b", {}, fill(_("Still at %(address)s?"), other.page)), " ", _("That job is still on site. Close it first, or carry on there later.")];
  const link = h("a", { href: urlOf(other) }, _("Open that job"));
  return h("p.notice.notice-warning", { "data-elsewhere": other.id }, icon("house"), " ", h("span", {}, words, " ", link));
}

function position({ hint }) {
  if (!isLocationDenied()) return h("p.hint", {}, hint);
  const words = _("This page may not know where you are, so your tap is kept without a position. You can allow it in the browser's settings.");
  return h("p.notice.notice-warning", { "data-no-position": true }, icon("map-pin"), " ", h("span", {}, words));
}

const done = () => h("p.notice.notice-good", { role: "status" }, icon("check"), " ", h("span", {}, _("This is said already.")));

// With something to know before the door the button stands behind it and never floats over it: the way to it leads
// past every word, and it takes no tap more.
function button({ job, matrix, trail }, step) {
  const { kind, words } = step;
  const onclick = once(async () => {
    const after = await tapWithPosition(job, kind);
    await go(nextUrl(after.job, after.matrix ?? matrix, trail));
  });
  const bar = parts.mainButton(words[Number(asksToRead(job, step))], { form: null, type: "button", onclick });
  if (asksToRead(job, step)) bar.classList.add("phone-action-read");
  return bar;
}

const asksToRead = (job, { isRead = false }) => !isRead && isSerious(job);

const isSerious = ({ page }) => page.cautions.some(({ slug }) => slug !== "calm") || page.flags.length > 0;
