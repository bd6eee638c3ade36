// Says things to the server: one entry, one UUID, one effect, however often it is sent.

import { newId } from "./app/ids.js";

export class NotSent extends Error {}
export class SignedOut extends Error {}

export function newEntry(kind, job, body) {
  return { message_id: newId(), kind, job, occurred_at: new Date().toISOString(), body };
}

// The results in the order of the entries. NotSent: the same entries may be sent again later.
export async function send(entries) {
  const answer = await reach(document.body.dataset.syncUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ messages: entries }),
  });
  const said = await answer.json();
  refreshToken(said.csrf_token);
  return said.results;
}

export async function sendOne(entry) {
  const [result] = await send([entry]);
  return result;
}

export async function reach(url, options) {
  let answer;
  try {
    answer = await fetch(url, {
      ...options,
      credentials: "same-origin",
      redirect: "error",
      headers: { Accept: "application/json", "X-CSRFToken": token(), ...options.headers },
    });
  } catch (cause) {
    throw new NotSent("no connection", { cause });
  }
  if (answer.status === 401) throw new SignedOut("signed out");
  if (answer.status >= 500 || answer.status === 403 || answer.status === 429) throw new NotSent(`answered ${answer.status}`);
  return answer;
}

// The cookie first: it is fresh after signing in again in another tab, the page's own is not.
export function token() {
  const cookie = /(?:^|; )(?:__Host-csrf|csrftoken)=([^;]+)/.exec(document.cookie);
  return cookie?.[1] ?? document.querySelector("input[name=csrfmiddlewaretoken]")?.value ?? "";
}

function refreshToken(fresh) {
  if (!fresh) return;
  for (const input of document.querySelectorAll("input[name=csrfmiddlewaretoken]")) input.value = fresh;
}
