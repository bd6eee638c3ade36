// In which language the application speaks on this phone. The worker keeps page and words in every one and looks where
// this writes it down. The server says with each day in which it speaks itself: that is the one to come to.

const PAGE = "/phone/shell/";
const PLACE = "/phone/language";

let wanted = "";

export function hear(language = "") {
  wanted = language;
}

export const isComing = () => wanted !== "" && wanted !== document.documentElement.lang;

// Whether the next page that is loaded speaks it: not one that this version does not have.
export async function turn() {
  const cacheName = `phone-${document.body.dataset.version}`;
  const page = await caches.match(`${PAGE}?language=${wanted}`, { cacheName, ignoreVary: true });
  if (page) await keep(wanted);
  return Boolean(page);
}

export async function keep(language) {
  await (await caches.open("language")).put(PLACE, new Response(language));
}
