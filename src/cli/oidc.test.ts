import { describe, expect, it } from "vitest";
import { type ConfigFlags, HOST_SETTINGS, readConfig } from "./config.ts";
import { readOidc } from "./oidc.ts";

const ISSUER = "https://login.example.com/tenant/";

function read(flags: ConfigFlags, env: Record<string, string> = {}) {
  const err = { isTty: false, size: () => ({ columns: 80, rows: 24 }), write: () => undefined };
  return readOidc(readConfig({ env, err, cwd: "/there" }, flags, HOST_SETTINGS));
}

describe("whose tokens are taken", () => {
  it("is none unless an issuer is named", () => {
    expect(read({})).toBeNull();
    expect(read({}, { SLUICE_OIDC_ISSUER: "", SLUICE_OIDC_AUDIENCE: "" })).toBeNull();
  });

  it("comes from flags or the environment, the issuer to the last slash", () => {
    const settings = {
      issuer: ISSUER,
      audience: "sluice",
      organisation: { name: "default" },
      roleClaim: "sluice_role",
      groupsClaim: "groups",
    };
    expect(read({ oidcIssuer: ISSUER, oidcAudience: "sluice" })).toEqual(settings);
    const env = { SLUICE_OIDC_ISSUER: ISSUER, SLUICE_OIDC_AUDIENCE: "sluice" };
    expect(read({}, env)).toEqual(settings);
    expect(read({ oidcAudience: "mine" }, { ...env, SLUICE_OIDC_ORG: "acme" })).toEqual({
      ...settings,
      audience: "mine",
      organisation: { name: "acme" },
    });
    expect(read({ oidcOrgClaim: "org" }, { ...env, SLUICE_OIDC_ROLE_CLAIM: "realm_access.roles" })).toEqual({
      ...settings,
      organisation: { claim: "org" },
      roleClaim: "realm_access.roles",
    });
  });

  it.each(["http://127.0.0.1:9/x", "http://localhost:9", "http://[::1]:9"])("may be on this machine: %s", (issuer) => {
    expect(read({ oidcIssuer: issuer, oidcAudience: "a" })?.issuer).toBe(issuer);
  });

  it.each<[ConfigFlags, RegExp]>([
    [{ oidcIssuer: "login.example.com", oidcAudience: "a" }, /SLUICE_OIDC_ISSUER\) must be a URL/],
    [{ oidcIssuer: "http://login.example.com", oidcAudience: "a" }, /must be an https URL/],
    [{ oidcIssuer: "http://127.0.0.1.example.com", oidcAudience: "a" }, /must be an https URL/],
    [{ oidcIssuer: "ftp://localhost", oidcAudience: "a" }, /must be an https URL/],
    [{ oidcIssuer: "https://a:b@login.example.com", oidcAudience: "a" }, /without user, query and fragment/],
    [{ oidcIssuer: "https://login.example.com?", oidcAudience: "a" }, /without user, query and fragment/],
    [{ oidcIssuer: ISSUER }, /needs --oidc-audience/],
    [{ oidcAudience: "a" }, /set --oidc-issuer/],
    [{ oidcOrgClaim: "org" }, /set --oidc-issuer/],
    [{ oidcIssuer: ISSUER, oidcAudience: "a", oidcOrg: "x", oidcOrgClaim: "y" }, /choose one/],
    [{ oidcIssuer: ISSUER, oidcAudience: "a", oidcOrg: "a b" }, /1 to 64 letters/],
    [{ oidcIssuer: ISSUER, oidcAudience: "a\n" }, /--oidc-audience must be 1 to 255 printable characters/],
  ])("is refused with %j", (flags, expected) => {
    expect(() => read(flags)).toThrow(expected);
  });
});
