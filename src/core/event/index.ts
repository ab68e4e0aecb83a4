export * from "./ending.ts";
export * from "./event.ts";
export * from "./status.ts";
