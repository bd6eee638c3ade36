// What the last press did, or why it did not: each message is closed by its button, all of them by Escape.

/** @param {HTMLElement} list */
export function start(list) {
  // only where this script is
  for (const button of list.querySelectorAll("button")) button.hidden = false;
  list.addEventListener("click", ({ target }) => {
    const message = target instanceof Element && target.closest("button") ? target.closest(".notice") : null;
    if (message) close([message]);
  });
  // before the page's own keys: what is closed by Escape is not what it clears next
  document.body.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || !list.childElementCount || isAsked()) return;
    event.preventDefault();
    close([...list.children]);
  });
}

// a card that is being moved, or a refusal, has Escape first
const isAsked = () => document.querySelector(".is-held, #action-response:not([hidden])") !== null;

/** @param {Element[]} messages */
function close(messages) {
  const hadFocus = document.activeElement?.closest(".messages");
  for (const message of messages) message.remove();
  if (hadFocus) document.querySelector("main")?.focus();
}
