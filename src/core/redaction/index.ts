export { createRedactor, SECRET_LENGTH_MIN, type Redactor, type Secret } from "./redactor.ts";
export type { RedactionStream } from "./stream.ts";
