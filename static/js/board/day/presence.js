// Who else has a job open or moves its card, as the server reports it, on the card and in the panel; and our own.

import { boardElement } from "./timeline.js";

const RENEW_MS = 15000;

/** @type {BoardVisitor[]} */
let visitors = [];

/** @param {HTMLElement} notice */
export function start(notice) {
  const board = boardElement();
  const mine = { job: "", activity: "" };
  const read = () => {
    const all = /** @type {BoardVisitor[]} */ (JSON.parse(notice.dataset.visitors || "[]"));
    visitors = all.filter((visitor) => String(visitor.user) !== board.dataset.user);
    show(board);
  };
  document.addEventListener("board:visitors", read);
  read();
  document.addEventListener("board:swapped", () => {
    show(board);
    report(board, mine);
  });
  document.addEventListener("board:held", () => report(board, mine));
  document.addEventListener("board:free", () => report(board, mine));
  document.addEventListener("visibilitychange", () => report(board, mine));
  window.addEventListener("pagehide", () => mine.job && send(board, { job: "", activity: "", left: mine.job }));
  setInterval(() => mine.job && send(board, { ...mine, left: "" }), RENEW_MS);
  report(board, mine);
}

// what this dispatcher does now; sent when it is something else than before
/** @param {HTMLElement} board @param {{job: string, activity: string}} mine */
function report(board, mine) {
  const moving = /** @type {JobCard | null} */ (board.classList.contains("is-held") ? board.querySelector(".card.is-moving") : null);
  const open = /** @type {HTMLElement | null} */ (document.getElementById("panel"))?.dataset.job ?? "";
  const job = document.hidden ? "" : (moving?.dataset.job ?? open);
  const activity = !job ? "" : moving ? "moving" : "open";
  if (job === mine.job && activity === mine.activity) return;
  // another window of the same person may be at another job
  const left = mine.job === job ? "" : mine.job;
  mine.job = job;
  mine.activity = activity;
  send(board, { job, activity, left });
}

/** @param {HTMLElement} board @param {{ job: string, activity: string, left: string }} presence */
function send(board, presence) {
  /** @type {HTMLInputElement | null} */
  const token = document.querySelector("[name=csrfmiddlewaretoken]");
  fetch(board.dataset.presenceUrl ?? "", {
    method: "POST",
    keepalive: true,
    headers: { Accept: "application/json", "X-CSRFToken": token?.value ?? "" },
    body: new URLSearchParams(presence),
  }).catch(() => {
    // the next one tells it; without network nobody sees it anyway
  });
}

/** @param {HTMLElement} board */
function show(board) {
  for (const old of board.querySelectorAll(".presence")) old.remove();
  for (const visitor of visitors) {
    const onCard = badge(board, visitor);
    onCard.lastElementChild?.classList.add("visually-hidden");
    document.getElementById(`card-${visitor.job}`)?.querySelector("a")?.append(onCard);
    const panel = document.getElementById("panel");
    if (panel?.dataset.job === visitor.job) panel.prepend(badge(board, visitor));
  }
}

/** @param {HTMLElement} board @param {BoardVisitor} visitor */
function badge(board, visitor) {
  const text = (visitor.activity === "moving" ? board.dataset.visitorMoving : board.dataset.visitorViewing) ?? "";
  const made = document.createElement("span");
  const initials = document.createElement("span");
  const sentence = document.createElement("span");
  made.className = `presence presence-${visitor.activity}`;
  made.title = sentence.textContent = text.replace("{name}", visitor.name);
  initials.className = "presence-initials";
  initials.setAttribute("aria-hidden", "true");
  initials.textContent = visitor.name.split(/\s+/).map((word) => word[0]).join("").slice(0, 2);
  made.append(initials, sentence);
  return made;
}
