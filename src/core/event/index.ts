export * from "./event.ts";
export * from "./status.ts";
