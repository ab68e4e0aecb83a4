export * from "./event.ts";
export * from "./status.ts";
export * from "./transport.ts";
