export { createRedactor, SECRET_LENGTH_MIN, type Redactor } from "./redactor.ts";
export { hideInJson } from "./json.ts";
export { findCredential, findSecret, hideCredentials } from "./secret-shape.ts";
