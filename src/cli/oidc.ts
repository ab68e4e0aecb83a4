import { GROUPS_CLAIM, isOrganisationName, issuerProblem, type OidcSettings } from "../oidc/index.ts";
import { type Config, DEFAULT_ORGANISATION } from "./config.ts";
import { Refusal } from "./refusal.ts";

export const DEFAULT_ROLE_CLAIM = "sluice_role";

/** Settings of the issuer whose tokens the server accepts beside keys. Null when there is none. */
export function readOidc(config: Config): OidcSettings | null {
  const { oidcIssuer, oidcAudience, oidcOrg, oidcOrgClaim, oidcRoleClaim, oidcGroupsClaim } = config;
  if (oidcIssuer === undefined) {
    if ([oidcAudience, oidcOrg, oidcOrgClaim, oidcRoleClaim, oidcGroupsClaim].every((setting) => setting === undefined))
      return null;
    throw new Refusal("settings for tokens need an issuer: set --oidc-issuer (SLUICE_OIDC_ISSUER) too");
  }
  const problem = issuerProblem(oidcIssuer);
  if (problem !== null) throw new Refusal(`--oidc-issuer (SLUICE_OIDC_ISSUER) ${problem}`);
  if (oidcAudience === undefined) {
    throw new Refusal(
      "--oidc-issuer needs --oidc-audience (SLUICE_OIDC_AUDIENCE): without it, tokens for other services would be accepted",
    );
  }
  if (oidcOrg !== undefined && oidcOrgClaim !== undefined) {
    throw new Refusal("choose one: --oidc-org (one organisation for all) or --oidc-org-claim (the token names it)");
  }
  if (oidcOrg !== undefined && !isOrganisationName(oidcOrg)) {
    throw new Refusal(
      "--oidc-org (SLUICE_OIDC_ORG) must be 1 to 64 letters, digits, _, . or -, a letter or digit first",
    );
  }
  return {
    issuer: oidcIssuer,
    audience: oidcAudience,
    organisation: oidcOrgClaim === undefined ? { name: oidcOrg ?? DEFAULT_ORGANISATION } : { claim: oidcOrgClaim },
    roleClaim: oidcRoleClaim ?? DEFAULT_ROLE_CLAIM,
    groupsClaim: oidcGroupsClaim ?? GROUPS_CLAIM,
  };
}
