// Watches for news of the job that is open: each second while the engineer waits for the seller, else now and then.

import { ask } from "./server.js";

const WAITING_MS = 1000;
const ELSE_MS = 2000;

// `jobAt(id)` gives the job as it was last drawn, or none; `refresh` asks for the day.
export function watchPulse(jobAt, refresh) {
  const look = async () => {
    await lookOnce(jobAt, refresh).catch(() => {});
    setTimeout(look, isWaiting() ? WAITING_MS : ELSE_MS);
  };
  look();
}

const isWaiting = () => location.pathname.endsWith("/provisioning/");

async function lookOnce(jobAt, refresh) {
  // a page in the pocket asks nothing; it looks again as soon as it is seen
  if (document.hidden || !navigator.onLine) return;
  const job = jobAt(decodeURIComponent(/^\/phone\/jobs\/([^/]+)\//.exec(location.pathname)?.[1] ?? ""));
  if (!job) return;
  const answer = await ask(`/phone/jobs/${encodeURIComponent(job.id)}/pulse.json`);
  // no answer about it: it is not with this engineer any more
  if (!answer.ok || (await answer.json()).version !== job.version) await refresh();
}
