// Setting off and arriving: hazards and access notes come before the button, then one tap.

import { h, icon, noBreak } from "../dom.js";
import { isLocationDenied } from "../geolocation.js";
import { otherJobTitle } from "../job_notices.js";
import { navigateFrom } from "../router.js";
import { isLegal, isSecond, nextStep, nextUrl, jobUrl } from "../workflow.js";
import { callOfficeLink } from "../office_phone.js";
import { onTap, recordWithPosition } from "../actions.js";
import { _ } from "../i18n.js";
import { stepLayout } from "./step_layout.js";
import * as parts from "./components.js";
import * as jobParts from "./job_components.js";

/** @param {JobContext} context */
export function travelScreen(context) {
  const { job } = context;
  return movementScreen(context, {
    name: "travel",
    title: _("On my way"),
    heading: _("Setting off"),
    cautions: _("Before you set off"),
    kind: "en_route",
    hint: _("Your location when you tap is stored with the job. The office and the seller see that you are on your way."),
    words: [_("On my way"), _("Read – on my way")],
    ways: h("p.phone-more-actions", {}, h("a.phone-button", { href: jobUrl(job, "arrive") }, _("I'm already there")), jobParts.cantCompleteLink(job)),
  });
}

/** @param {JobContext} context */
export function arriveScreen(context) {
  return movementScreen(context, {
    name: "arrive",
    title: _("I'm on site"),
    heading: _("Arriving"),
    kind: "on_site",
    hint: _("Tap when you are at the premises. Your location at that moment is stored with the job."),
    words: [_("I'm on site"), _("Read – I'm on site")],
    // what must not be missed was read before setting off: it stands there, and is not asked about again
    isRead: context.job.state === "en_route",
  });
}

/** @param {JobContext} context @param {MovementStep} step */
function movementScreen(context, step) {
  const { job, matrix, wizard } = context;
  const isNow = isLegal(step.kind, job);
  const next = nextStep(job, matrix);
  return stepLayout(context, {
    ...step,
    body: [
      h("h1", {}, step.heading),
      isNow && otherJobNotice(context),
      jobParts.cautionSection(job, step.cautions),
      isHeld(job, step) ? holdNotice(job) : isNow && mustRead(job, step) && confirmButton(context, step),
      jobParts.addressLines(job),
      h("p", {}, `${_("Appointment")} `, h("b", {}, h("time", {}, noBreak(job.page.window)))),
      jobParts.contactButtons(job, { message: false }),
      isNow ? positionNotice(step) : alreadyDoneNotice(),
    ],
    bar: isHeld(job, step) ? parts.mainLink(jobUrl(job), _("Back to the job")) : isNow ? !mustRead(job, step) && confirmButton(context, step) : next && parts.mainLink(nextUrl(job, matrix, wizard), next.label),
  });
}

// The office holds the job back. Who is under way already goes on; the office is called.
/** @param {Job} job @param {MovementStep} step */
const isHeld = (job, { kind }) => Boolean(job.held) && job.state === "assigned" && kind === "en_route";

/** @param {Job} job */
function holdNotice({ notices = [] }) {
  const found = notices.find(({ rule }) => rule === "on_hold");
  const content = [h("span", {}, found?.words ?? ""), " ", callOfficeLink()];
  return h("div.notice.notice-warning", { "data-held": true }, icon("lock"), " ", h("div", {}, content));
}

// Another job that is not closed: a notice that blocks nothing.
/** @param {JobContext} context */
function otherJobNotice({ job, day }) {
  const other = day.jobs.find((candidate) => candidate.id !== job.id && candidate.state === "on_site" && !isSecond(candidate));
  if (!other) return "";
  const content = [h("b", {}, otherJobTitle(job, other)), " ", _("You are still on site there. Close that job first, or continue it later.")];
  const link = h("a", { href: jobUrl(other) }, _("Open the other job"));
  return h("p.notice.notice-warning", { "data-other-job": other.id }, icon("house"), " ", h("span", {}, content, " ", link));
}

/** @param {MovementStep} step */
function positionNotice({ hint }) {
  if (!isLocationDenied()) return h("p.hint", {}, hint);
  const text = _("Location access is blocked, so this is saved without your location. You can allow it in the browser's settings.");
  return h("p.notice.notice-warning", { "data-no-position": true }, icon("map-pin"), " ", h("span", {}, text));
}

const alreadyDoneNotice = () => h("p.notice.notice-good", { role: "status" }, icon("check"), " ", h("span", {}, _("Already done.")));

// With something to know before arrival the button comes after it and never floats over it: the engineer scrolls
// past all of it, and needs no extra tap.
/** @param {JobContext} context @param {MovementStep} step */
function confirmButton({ job, matrix, path, wizard }, step) {
  const { kind, words: label } = step;
  const onclick = onTap(async () => {
    const after = await recordWithPosition(job, kind);
    await navigateFrom(path, nextUrl(after.job, after.matrix ?? matrix, wizard));
  });
  const bar = parts.mainButton(label[Number(mustRead(job, step))], { form: null, type: "button", onclick });
  if (mustRead(job, step)) bar.classList.add("phone-action-read");
  return bar;
}

/** @param {Job} job @param {MovementStep} step */
const mustRead = (job, { isRead = false }) => !isRead && hasWarnings(job);

/** @param {Job} job */
const hasWarnings = ({ page }) => page.cautions.some(({ slug }) => slug !== "calm") || page.flags.length > 0;
