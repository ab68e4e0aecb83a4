export * from "./instructions.ts";
