// Which screen an address shows. Each screen is a function of ({job, matrix, wizard, day, rows, …}) that returns {name,
// title, body: [elements], shown?(page)}.

import { redirect } from "../router.js";
import { isSecond, jobUrl, nextUrl, parseWizard } from "../workflow.js";
import { dayScreen } from "./day_screen.js";
import { noSuchPageScreen, notFoundScreen } from "./not_found_screen.js";

const loadJobScreens = () => import("./job_screens.js");
const loadLazyScreens = () => import("./lazy_screens.js");
const LAZY_MODULES = [loadJobScreens, loadLazyScreens, () => import("./photo_answer.js"), () => import("../../scan/scan_field.js")];

// What is not for the first page; here before it is wanted, whatever the browser cleans away then.
export function preloadScreens() {
  for (const load of LAZY_MODULES) load().catch(console.warn);
}

/** @param {"queueScreen" | "meScreen" | "leaveScreen" | "positionsScreen"} screen @returns {(context: ScreenContext) => Promise<PhoneScreen>} */
function lazyScreen(screen) {
  return async (context) => (await loadLazyScreens())[screen](context);
}

/** @param {keyof typeof import("./job_screens.js")} screen @returns {(context: JobContext) => Promise<PhoneScreen | null>} */
function jobScreen(screen) {
  return async (context) => (await loadJobScreens())[screen](context);
}

// Leads on to what comes next.
/** @param {JobContext} context */
const nextScreen = ({ job, matrix, wizard }) => redirect(nextUrl(job, matrix, wizard));

/** @type {Record<string, ((context: ScreenContext) => MaybeScreen) | undefined>} */
const PHONE_SCREENS = {
  "/phone/": dayScreen,
  "/phone/queue/": lazyScreen("queueScreen"),
  "/phone/me/": lazyScreen("meScreen"),
  "/phone/me/leave/": lazyScreen("leaveScreen"),
  "/phone/me/positions/": lazyScreen("positionsScreen"),
};

/** @type {Record<string, ((context: JobContext) => MaybeScreen) | undefined>} */
const JOB_SCREENS = {
  "": jobScreen("jobScreen"),
  next: nextScreen,
  travel: jobScreen("travelScreen"),
  arrive: jobScreen("arriveScreen"),
  question: jobScreen("questionScreen"),
  scan: jobScreen("scanScreen"),
  provisioning: jobScreen("provisioningScreen"),
  line: async (context) => (await loadLazyScreens()).lineScreen(context),
  review: jobScreen("reviewScreen"),
  "cant-complete": jobScreen("cantCompleteScreen"),
  close: jobScreen("closeScreen"),
  "hand-over": jobScreen("handOverScreen"),
};

/** @param {ScreenAddress} address @param {ScreenContext} context @returns {MaybeScreen} */
export function screenFor({ path, search, moved }, context) {
  const whole = PHONE_SCREENS[path.replace(/\/*$/, "/")];
  if (whole) return whole(context);
  const parts = path.replace(/^\/phone\//, "").split("/").filter(Boolean);
  const [kind, id, name = "", code = ""] = parts;
  if (kind !== "jobs" || !id) return noSuchPageScreen();
  const job = context.day.jobs.find((candidate) => candidate.id === decodeURIComponent(id));
  if (!job) return notFoundScreen({ ...context, id: decodeURIComponent(id) });
  const screen = Object.hasOwn(JOB_SCREENS, name) && JOB_SCREENS[name];
  if (!screen) return noSuchPageScreen(job);
  if (name && isSecond(job)) return redirect(jobUrl(job));
  const matrix = context.day.matrices[job.matrix];
  return screen({ ...context, path, moved, job, matrix, code, wizard: parseWizard(search), search: new URLSearchParams(search) });
}
