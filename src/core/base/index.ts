export * from "./json.ts";
export * from "./outcome.ts";
export * from "./invariant.ts";
export * from "./limits.ts";
export * from "./problem.ts";
export * from "./failure.ts";
export * from "./digest.ts";
export * from "./civil-date.ts";
