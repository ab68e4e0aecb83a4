/** Restate with nodes that are reported back: see `restate.mjs`. */
import { open as openRestate } from "./restate.mjs";

export { packageName } from "./restate.mjs";
export const name = "Restate, callback";

export const open = (plan) => openRestate(plan, true);
