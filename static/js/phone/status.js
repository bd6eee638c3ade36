// One line that always says where things stand; never a pop-up, never silent.

import { NotSent, SignedOut } from "./sync.js";

const WORDS = {
  position: "Finding your position…",
  sending: "Sending…",
  sent: "All sent.",
  not_sent: "Not sent: no connection. It is kept on this screen. Try again.",
  signed_out: "You are signed out. It is kept on this screen. Sign in in another tab, then try again.",
  failed: "Something went wrong here. It is kept on this screen. Open the page again and try once more.",
  photo: "Getting the photo ready…",
};

export function say(word, tone = "calm") {
  const line = document.querySelector("[data-status]");
  if (!line) return;
  line.textContent = WORDS[word] ?? word;
  line.dataset.tone = tone;
}

// Only a missing connection is called one; a fault of ours says so and shows in the console.
export function trouble(error) {
  if (error instanceof SignedOut) say("signed_out", "alarm");
  else if (error instanceof NotSent) say("not_sent", "alarm");
  else {
    say("failed", "alarm");
    throw error;
  }
}

// The summary at the top takes the focus, so that a screen reader and a thumb both find it.
export function showProblems(problems) {
  const summary = document.querySelector("[data-problems]");
  if (!summary) return;
  const list = document.createElement("ul");
  for (const problem of problems) {
    const item = document.createElement("li");
    item.textContent = problem.message;
    list.append(item);
  }
  const title = document.createElement("h2");
  title.textContent = "Not done yet";
  summary.replaceChildren(title, list);
  summary.hidden = false;
  summary.focus();
  if (!document.title.startsWith("Error: ")) document.title = `Error: ${document.title}`;
}

export function clearProblems() {
  const summary = document.querySelector("[data-problems]");
  if (summary) summary.hidden = true;
}
