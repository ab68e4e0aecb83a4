export { compilePattern, type Pattern } from "./pattern.ts";
