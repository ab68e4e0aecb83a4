export * from "./dispatch-id.ts";
export * from "./ending.ts";
export * from "./event.ts";
export * from "./handoff-counts.ts";
export type { Placement } from "./placement.ts";
export * from "./settling.ts";
export * from "./status.ts";
export * from "./subject.ts";
export * from "./transport.ts";
