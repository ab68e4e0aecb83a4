import { getOwn, isJsonObject, type JsonObject, secretNameOf, type TreePath } from "../core/base/index.ts";
import { didYouMean } from "../core/definition/index.ts";
import { walk } from "../core/expression/index.ts";
import type { RegistryStore } from "../store/index.ts";
import { type ManifestKind, MANIFEST_KINDS } from "./kind.ts";
import type { Manifest } from "./manifest.ts";
import { readSpec } from "./read-spec.ts";
import { type EntryUse, isInScope, useText } from "./secret-scope.ts";
import { type RegisteredSecret, secretOf } from "./secret.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";

/** The secrets an entry may refer to. */
export interface SecretsAround {
  find(name: string): Promise<RegisteredSecret | undefined>;
  names(): Promise<readonly string[]>;
}

const NAMES_MAX = 1_000;

/** Finds the registered secrets; those of `beside` take precedence. */
export function secretsAround(
  store: Pick<RegistryStore, "getEntry" | "listEntries">,
  orgId: string,
  beside: readonly Manifest[] = [],
): SecretsAround {
  const given = new Map(
    beside.flatMap(({ kind, name, spec }) => {
      const read = kind === "Secret" ? readSpec(kind, name, spec) : null;
      return read?.ok === true ? [[name, secretOf({ id: name, body: read.body })] as const] : [];
    }),
  );
  return {
    find: async (name) => {
      const entry = given.has(name) ? undefined : await store.getEntry(orgId, "secret", name);
      return entry === undefined ? given.get(name) : secretOf(entry);
    },
    names: async () => {
      const { data } = await store.listEntries(orgId, "secret", { limit: NAMES_MAX, cursor: null });
      return [...given.keys(), ...data.map(({ id }) => id)];
    },
  };
}

/** Returns the problems of `secret://NAME` in an entry. `secrets` are the write-only values given with it. */
export async function secretReferenceProblems(
  { kind, name, body }: { readonly kind: ManifestKind; readonly name: string; readonly body: JsonObject },
  secrets: Readonly<Record<string, string>>,
  around: SecretsAround,
): Promise<readonly SpecProblem[]> {
  const by = userOf(kind);
  if (by === null) return [];
  const problems: SpecProblem[] = [];
  for (const [at, text] of referencesOf(kind, body, secrets)) {
    const wanted = secretNameOf(text);
    if (wanted === null) continue;
    const found = await around.find(wanted);
    if (found === undefined) {
      const hint = didYouMean(wanted, await around.names()) ?? "Set it first with: sluice secrets set.";
      problems.push(specProblem("unknown_secret", at, `There is no secret "${wanted}".`, { hint }));
    } else if (!isInScope(found.scopes, { by, name })) {
      const scope = useText({ by, name });
      const hint = `Add ${scope} to its scopes.`;
      problems.push(specProblem("secret_out_of_scope", at, `The secret "${wanted}" is not for ${scope}.`, { hint }));
    }
  }
  return problems;
}

function userOf(kind: ManifestKind): EntryUse["by"] | null {
  const { entry } = MANIFEST_KINDS[kind];
  return entry === "trigger" || entry === "channel" || entry === "webhook" || entry === "secret" ? entry : null;
}

function referencesOf(
  kind: ManifestKind,
  body: JsonObject,
  secrets: Readonly<Record<string, string>>,
): readonly (readonly [TreePath, string])[] {
  if (kind !== "Secret") {
    const before = kind === "Trigger" ? ["on", "hook"] : [];
    return Object.entries(secrets).map(([key, text]) => [[...before, key], text] as const);
  }
  const at = ["from", "vault", "token"];
  const from = getOwn(body, "from");
  const token = from !== undefined && isJsonObject(from) ? walk(body, at) : undefined;
  return typeof token === "string" ? [[at, token]] : [];
}
