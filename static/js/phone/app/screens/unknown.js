// Addresses that lead nowhere on this phone, and a phone that knows nobody yet.

import { h, icon } from "../dom.js";
import { callOffice } from "../office.js";
import { _ } from "../words.js";
import { title } from "./parts.js";

export function unknown() {
  return {
    name: "unknown",
    title: title(_("Sign in")),
    body: [
      h("h1", {}, _("Sign in once with signal")),
      h("p.phone-empty", {}, icon("wifi-off"), " ", h("span", {}, _("Your jobs are not on this phone yet. Sign in where there is signal; from then on they are here."))),
      h("div.phone-action", {}, h("a.main-button", { href: "/login/?next=/phone/", "data-outside": true }, _("Sign in"))),
    ],
  };
}

// The server's own words where it told what became of the job.
export function gone({ day, id } = {}) {
  const told = day?.gone?.find((one) => one.id === id);
  return {
    name: "gone",
    title: title(_("Not here")),
    body: [
      h("h1", {}, _("Not on this phone")),
      h("p.phone-empty", {}, icon("info"), " ", h("span", {}, told?.words ?? _("This job is not with you any more, or not yet on this phone. What you did there is kept. Call the office if you are there."))),
      h("p.phone-ways", {}, callOffice()),
      h("div.phone-action", {}, h("a.main-button", { href: "/phone/" }, _("My day"))),
    ],
  };
}
