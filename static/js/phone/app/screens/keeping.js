// Pieces that the queue and the me page share.

import { h, icon } from "../dom.js";
import { othersThan } from "../people.js";
import { dayWords, plural } from "../words.js";

// "Sat 21 Nov, 09:12" in the language of the page.
export function moment(iso) {
  const at = new Date(iso);
  const clock = at.toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
  return h("time", { datetime: iso }, `${dayWords(at)}, ${clock}`);
}

// What somebody else left on this phone: only they can send it.
export async function othersNotices(engineer) {
  return (await othersThan(engineer).catch(() => [])).map(({ name, entries }) => {
    const words = plural(
      "%(number)s entry of %(name)s is still on this phone: %(name)s must sign in to send it.",
      "%(number)s entries of %(name)s are still on this phone: %(name)s must sign in to send them.",
      entries,
      { name },
    );
    return h("p.notice.notice-warning", { "data-others": true }, icon("user"), " ", h("span", {}, words));
  });
}
