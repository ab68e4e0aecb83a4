export { createScriptAdapter } from "./script-adapter.ts";
