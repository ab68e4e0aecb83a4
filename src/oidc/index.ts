export { issuerProblem } from "./issuer.ts";
export { KEY_SET_RETRY_MS } from "./key-set.ts";
export { isOrganisationName } from "./organisation-name.ts";
export {
  type PendingSignIn,
  type SignedIn,
  SignInProvider,
  type SignInRefusal,
  type SignInSettings,
} from "./sign-in-provider.ts";
export type { TokenRefusal } from "./token-refusal.ts";
export { GROUPS_CLAIM, type OidcSettings, type TokenHolder, TokenVerifier } from "./token-verifier.ts";
