export { Scheduler } from "./scheduler.ts";
export { nextSlots } from "./slots.ts";
