// The pages beside the jobs: one piece of their own, which the first page does not wait for.

export { leaveScreen, meScreen } from "./me.js";
export { positionsScreen } from "./positions.js";
export { queueScreen } from "./queue.js";
export { rescueSection } from "./rescue.js";
