import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { GROUPS_CLAIM, issuerProblem, isOrganisationName, type SignInSettings } from "../oidc/index.ts";
import { type Config, DEFAULT_ORGANISATION } from "./config.ts";
import type { Io } from "./io.ts";
import { DEFAULT_ROLE_CLAIM } from "./oidc.ts";
import { Refusal } from "./refusal.ts";
import { reasonOf } from "./source-file.ts";
import { printable } from "./terminal-text.ts";

const text = z.string().regex(/^[^\p{Cc}\p{Surrogate}]{1,1000}$/u, "must be 1 to 1000 printable characters");
const providerSchema = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, "must be 1 to 32 small letters, digits or -"),
    label: text.optional(),
    issuer: text,
    clientId: text,
    clientSecret: text.optional(),
    clientSecretVariable: text.optional(),
    scopes: z.array(text).optional(),
    rolesClaim: text.optional(),
    groupsClaim: text.optional(),
    organisation: z
      .string()
      .refine(isOrganisationName, "must be 1 to 64 letters, digits, _, . or -, a letter or digit first")
      .optional(),
    organisationClaim: text.optional(),
    trustEmail: z.boolean().optional(),
  })
  .superRefine(({ issuer, organisation, organisationClaim, clientSecret, clientSecretVariable }, context) => {
    const problem = issuerProblem(issuer);
    if (problem !== null) context.addIssue({ code: "custom", path: ["issuer"], message: problem });
    if (organisation !== undefined && organisationClaim !== undefined) {
      context.addIssue({ code: "custom", path: ["organisation"], message: "or organisationClaim: choose one" });
    }
    if (clientSecret !== undefined && clientSecretVariable !== undefined) {
      context.addIssue({ code: "custom", path: ["clientSecret"], message: "or clientSecretVariable: choose one" });
    }
  });
const providersSchema = z.array(providerSchema).max(20);

const SCOPES = ["openid", "email", "profile"] as const;
const SETTING = "--sign-in (SLUICE_SIGN_IN_PROVIDERS)";

/** Reads the providers with which people sign in to the console, from JSON or from a file that contains it. */
export function readSignIn(io: Pick<Io, "env" | "cwd">, { signIn }: Pick<Config, "signIn">): readonly SignInSettings[] {
  if (signIn === undefined) return [];
  const read = providersSchema.safeParse(parsed(signIn.trim().startsWith("[") ? signIn : fileText(io.cwd, signIn)));
  if (!read.success) {
    const [issue] = read.error.issues;
    const [index, ...place] = issue?.path ?? [];
    const where = typeof index === "number" ? ` provider ${index + 1} ${place.join(".")}` : "";
    throw new Refusal(`${SETTING}${where} ${printable(issue?.message ?? "is not valid")}`);
  }
  const names = read.data.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Refusal(`${SETTING} names two providers "${twice}"`);
  return read.data.map((provider) => settingsOf(io, provider));
}

function settingsOf({ env }: Pick<Io, "env">, provider: z.output<typeof providerSchema>): SignInSettings {
  const { name, issuer, clientId, clientSecretVariable: variable, organisationClaim } = provider;
  const secret = provider.clientSecret ?? (variable === undefined ? undefined : env[variable]);
  if (variable !== undefined && (secret ?? "") === "") {
    throw new Refusal(`${SETTING} provider "${name}": the variable ${printable(variable)} is not set`);
  }
  return {
    name,
    label: provider.label ?? name,
    issuer,
    clientId,
    clientSecret: secret ?? null,
    scopes: [...new Set(["openid", ...(provider.scopes ?? SCOPES)])],
    roleClaim: provider.rolesClaim ?? DEFAULT_ROLE_CLAIM,
    groupsClaim: provider.groupsClaim ?? GROUPS_CLAIM,
    organisation:
      organisationClaim === undefined
        ? { name: provider.organisation ?? DEFAULT_ORGANISATION }
        : { claim: organisationClaim },
    trustsEmail: provider.trustEmail ?? false,
  };
}

function fileText(cwd: string, path: string): string {
  try {
    return readFileSync(resolve(cwd, path), "utf8");
  } catch (error) {
    throw new Refusal(`${SETTING}: cannot read ${printable(path)}: ${printable(reasonOf(error))}`);
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Refusal(`${SETTING} must be a JSON list of providers, or the path of a file with one`);
  }
}
