// The screens besides the jobs: a bundle of their own, which the first page does not wait for.

export { leaveScreen, meScreen } from "./me_screen.js";
export { positionsScreen } from "./positions_screen.js";
export { queueScreen } from "./queue_screen.js";
export { exportSection } from "./export_section.js";
