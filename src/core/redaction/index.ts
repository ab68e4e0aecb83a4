export { createRedactor, SECRET_LENGTH_MIN, type Redactor, type Secret } from "./redactor.ts";
export type { RedactionStream } from "./stream.ts";
export { findCredential, findSecret, hideCredentials, type SecretShape } from "./secret-shape.ts";
