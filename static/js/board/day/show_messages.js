// Messages of an answer as the page shows its own: they leave by themselves.
import { announce, textOf } from "../announce.js";
import { element } from "./timeline.js";

/** @param {AnswerMessage[]} messages */
export function showMessages(messages) {
  document.querySelectorAll(".messages .notice:not(.notice-error)").forEach((old) => old.remove());
  if (!messages.length) return;
  const list = document.querySelector(".messages") ?? element("div", "messages");
  document.querySelector("main")?.before(list);
  const notices = messages.map(notice);
  list.append(...notices);
  for (const message of notices) announce(textOf(message));
}

/** @param {AnswerMessage} message */
function notice({ level, html }) {
  const made = element("p", `notice notice-${level}`), text = element("span", "");
  // escaped by the server but for its links
  text.append(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  made.append(text);
  return made;
}
