export { issuerProblem } from "./issuer.ts";
export { RETRY_MS } from "./key-set.ts";
export type { TokenRefusal } from "./token-refusal.ts";
export { isOrganisationName, type OidcSettings, TokenVerifier } from "./token-verifier.ts";
