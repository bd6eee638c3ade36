// Web push: subscribed by a tap only. On iPhones it exists in the installed application, not in the browser.

import { SignedOut, request } from "./api_client.js";

const ADDRESS = "/phone/push";
const HEADERS = { "Content-Type": "application/json" };

// Whether this phone and this server can do it at all; needs signal for the second.
export async function isPossible() {
  const able = "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis;
  return able && Notification.permission !== "denied" && Boolean(await publicKey());
}

export async function isSubscribed() {
  return Boolean(await currentSubscription());
}

// Call it from a tap. False when the engineer or the phone refused.
export async function subscribe() {
  if ((await Notification.requestPermission()) !== "granted") return false;
  const { pushManager } = await navigator.serviceWorker.ready;
  const key = { userVisibleOnly: true, applicationServerKey: decodeKey(await publicKey()) };
  const subscription = (await pushManager.getSubscription()) ?? (await pushManager.subscribe(key));
  return sendSubscription("POST", subscription);
}

// Whoever is signed out already gets no notices here either: the server learns of it from the push service.
export async function unsubscribe() {
  const subscription = await currentSubscription();
  if (!subscription) return;
  await sendSubscription("DELETE", subscription).catch((problem) => {
    if (!(problem instanceof SignedOut)) throw problem;
  });
  await subscription.unsubscribe();
}

async function currentSubscription() {
  const registration = await navigator.serviceWorker?.getRegistration("/phone/");
  return (await registration?.pushManager?.getSubscription()) ?? null;
}

/** @returns {Promise<string>} */
async function publicKey() {
  const answer = await request(ADDRESS);
  return answer.ok ? (await answer.json()).public_key : "";
}

/** @param {"POST" | "DELETE"} method @param {PushSubscription} subscription */
async function sendSubscription(method, subscription) {
  const answer = await request(ADDRESS, { method, headers: HEADERS, body: JSON.stringify(subscription) });
  return answer.ok;
}

/** @param {string} text */
function decodeKey(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}
