export * from "./ending.ts";
export * from "./event.ts";
export type { Placement } from "./placement.ts";
export * from "./status.ts";
export * from "./transport.ts";
