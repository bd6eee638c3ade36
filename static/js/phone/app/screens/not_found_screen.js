// An address that leads to nothing on this phone.

import { h, icon } from "../dom.js";
import { callOfficeLink } from "../office_phone.js";
import { _ } from "../i18n.js";
import { pageTitle } from "./components.js";

// The server's own words where it told what became of the job.
/** @param {{day?: any, id?: string}} [context] */
export function notFoundScreen({ day, id } = {}) {
  const told = day?.gone?.find((one) => one.id === id);
  return {
    name: "gone",
    title: pageTitle(_("Not found")),
    body: [
      h("h1", {}, _("Not on this phone")),
      h("p.phone-empty", {}, icon("info"), " ", h("span", {}, told?.words ?? _("This job has been reassigned, or is not on this phone yet. Your work on it is safe. If you are on site, call the office."))),
      h("p.phone-more-actions", {}, callOfficeLink()),
      h("div.phone-action", {}, h("a.main-button", { href: "/phone/" }, _("My day"))),
    ],
  };
}
