// Setting off and arriving: what must not be missed stands before the button, then one tap.

import { h, icon } from "../dom.js";
import { go } from "../router.js";
import { nextStep, nextUrl, urlOf } from "../steps.js";
import { once, tapWithPosition } from "../taps.js";
import { _ } from "../words.js";
import { frame } from "./frame.js";
import * as parts from "./parts.js";

export function travelScreen(context) {
  const { job } = context;
  return wayScreen(context, {
    name: "travel",
    title: _("On my way"),
    heading: _("Setting off"),
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
      parts.cautions(job),
      isNow && isSerious(job) && button(context, step),
      h("p.phone-address", {}, job.page.address_lines.flatMap((line, at) => (at ? [h("br"), line] : [line]))),
      h("p", {}, `${_("Promised")} `, h("b", {}, h("time", {}, job.page.window))),
      parts.contacts(job, { message: false }),
      isNow ? h("p.hint", {}, step.hint) : done(),
    ],
    bar: isNow ? !isSerious(job) && button(context, step) : next && parts.mainLink(nextUrl(job, matrix, trail), next.label),
  });
}

const done = () => h("p.notice.notice-good", { role: "status" }, icon("check"), " ", h("span", {}, _("This is said already.")));

// With something to know before the door the button stands behind it and never floats over it: the way to it leads
// past every word, and it takes no tap more.
function button({ job, matrix, trail }, { kind, words }) {
  const onclick = once(async () => {
    const after = await tapWithPosition(job, kind);
    await go(nextUrl(after.job, after.matrix ?? matrix, trail));
  });
  const bar = parts.mainButton(words[Number(isSerious(job))], { form: null, type: "button", onclick });
  if (isSerious(job)) bar.classList.add("phone-action-read");
  return bar;
}

const isSerious = ({ page }) => page.cautions.some(({ slug }) => slug !== "calm") || page.flags.length > 0;
