// Leads to the sign-in page and back to what is on show now. Whatever notices first that the session has ended leads
// there once: a second address would take the word about the lost change away.

export const LOGIN = "/login/";

let isLeaving = false;

/** @param {{ address: string, isUnsaved?: boolean }} options */
export function signIn({ address, isUnsaved = false }) {
  if (isLeaving) return;
  isLeaving = true;
  const page = new URL(address, location.href);
  page.searchParams.set("next", location.pathname + location.search);
  if (isUnsaved) page.searchParams.set("unsaved", "1");
  // typed_texts.js
  window.dispatchEvent(new Event("signed-out"));
  location.assign(page);
}
