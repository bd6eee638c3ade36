// What to do while the seller provisions an ONT: the server's advice at this moment, and the one main button. Pure.

import { serverTime } from "./clock_skew.js";
import { firstMissing, isProvisioned, stoppingQuestion } from "./workflow.js";

// A phone without signal gets no newer advice: the server sends in advance what applies after `overdue_at`, as its own
// text (phone/provisioning_advice.py; tests/data/provisioning_vectors.json).
/** @param {Advice | null} advice @param {number} [now] milliseconds of the server's clock */
export function currentAdvice(advice, now = serverTime()) {
  return advice?.overdue && now > Date.parse(advice.overdue_at ?? "") ? advice.overdue : advice;
}

// "stop", "next", "scan", "call", "work", or "" where there is nothing but to wait.
/** @param {Job} job @param {Matrix} matrix @param {Advice | null} advice */
export function mainAction(job, matrix, advice) {
  if (stoppingQuestion(job, matrix)) return "stop";
  if (isProvisioned(job)) return "next";
  if (!job.scan || advice?.scan_again) return "scan";
  if (advice?.call && advice.tone === "alarm") return "call";
  return firstMissing(job, matrix, "work") ? "work" : "";
}
