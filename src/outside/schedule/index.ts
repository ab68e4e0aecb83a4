export { Scheduler, type SchedulerOptions } from "./scheduler.ts";
export { nextSlots } from "./slots.ts";
