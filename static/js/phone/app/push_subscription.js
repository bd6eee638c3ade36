// Notices by web push: asked for by a tap only. iPhones have them in the installed application, not in the browser.

import { SignedOut, ask } from "./api_client.js";

const ADDRESS = "/phone/push";
const HEADERS = { "Content-Type": "application/json" };

// Whether this phone and this server can do it at all; needs signal for the second.
export async function isPossible() {
  const able = "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis;
  return able && Notification.permission !== "denied" && Boolean(await publicKey());
}

export async function isSubscribed() {
  return Boolean(await current());
}

// Call it from a tap. False when the engineer or the phone said no.
export async function subscribe() {
  if ((await Notification.requestPermission()) !== "granted") return false;
  const { pushManager } = await navigator.serviceWorker.ready;
  const key = { userVisibleOnly: true, applicationServerKey: bytes(await publicKey()) };
  const subscription = (await pushManager.getSubscription()) ?? (await pushManager.subscribe(key));
  return tell("POST", subscription);
}

// Whoever is signed out already gets no notices here either: the server hears of it from the service they go through.
export async function unsubscribe() {
  const subscription = await current();
  if (!subscription) return;
  await tell("DELETE", subscription).catch((problem) => {
    if (!(problem instanceof SignedOut)) throw problem;
  });
  await subscription.unsubscribe();
}

async function current() {
  const registration = await navigator.serviceWorker?.getRegistration("/phone/");
  return (await registration?.pushManager?.getSubscription()) ?? null;
}

async function publicKey() {
  const answer = await ask(ADDRESS);
  return answer.ok ? (await answer.json()).public_key : "";
}

async function tell(method, subscription) {
  const answer = await ask(ADDRESS, { method, headers: HEADERS, body: JSON.stringify(subscription) });
  return answer.ok;
}

function bytes(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}
