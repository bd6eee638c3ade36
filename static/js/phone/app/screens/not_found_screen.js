// An address that leads to nothing on this phone: a job that is not here, or no page at all.

import { h, icon } from "../dom.js";
import { callOfficeLink } from "../office_phone.js";
import { _ } from "../i18n.js";
import { jobUrl } from "../workflow.js";
import { pageTitle } from "./components.js";

// The server's own text where it sent what became of the job.
/** @param {{ day?: Day, id?: string }} [context] @returns {PhoneScreen} */
export function notFoundScreen({ day, id } = {}) {
  const absent = day?.gone?.find((job) => job.id === id);
  return {
    name: "gone",
    title: pageTitle(_("Not found")),
    body: [
      h("h1", {}, _("Not on this phone")),
      h("p.phone-empty", {}, icon("info"), " ", h("span", {}, absent?.words ?? _("This job is not on your list: it has been finished, rescheduled or reassigned, or is not on this phone yet. Your work on it is safe. If you are on site, call the office."))),
      h("p.phone-more-actions", {}, callOfficeLink()),
      h("div.phone-action", {}, h("a.main-button", { href: "/phone/" }, _("My day"))),
    ],
  };
}

// An address that leads nowhere says nothing of a job: those that are on this phone are as they were.
/** @param {Job} [job] whose step or question it names @returns {PhoneScreen} */
export function noSuchPageScreen(job) {
  return {
    name: "no-page",
    title: pageTitle(_("Not found")),
    body: [
      h("h1", {}, _("No such page")),
      h("p.phone-empty", {}, icon("info"), " ", h("span", {}, _("There is nothing at this address. Your work is safe."))),
      job && h("p.phone-more-actions", {}, h("a.phone-button", { href: jobUrl(job) }, _("Open job"))),
      h("div.phone-action", {}, h("a.main-button", { href: "/phone/" }, _("My day"))),
    ],
  };
}
