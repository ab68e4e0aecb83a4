import { type JsonObject, isJsonObject } from "../core/base/index.ts";
import { everyEntry, type RegistryStore, type WorkflowStore } from "../store/index.ts";
import { unknownChannels } from "./channel.ts";
import type { RegisteredKind } from "./kind.ts";
import type { Manifest } from "./manifest.ts";
import { secretReferenceProblems, secretsAround } from "./secret-check.ts";
import { SECRET_VALUE, secretValueProblems } from "./secret.ts";
import type { SpecProblem } from "./spec-problem.ts";
import { madeSecrets, triggerReferenceProblems, workflowsAround } from "./trigger-check.ts";

/** An entry in the form in which it would be saved. */
export interface SavedEntry {
  readonly kind: RegisteredKind;
  readonly name: string;
  readonly body: JsonObject;
  /** `given`: write-only values sent with the entry. `kept`: its stored values, sealed. */
  readonly given: Readonly<Record<string, string>>;
  readonly kept: Readonly<Record<string, string>>;
}

export interface ReferenceSurroundings {
  readonly store: RegistryStore & WorkflowStore;
  readonly orgId: string;
  /** Whether SLUICE_SECRET_KEY is set. */
  readonly isKeyed: boolean;
  /** Manifests that are saved together with the entry. */
  readonly beside?: readonly Manifest[];
}

/** Returns the problems of an entry that depend on the entries it refers to and on its stored secrets. */
export async function referenceProblems(
  { kind, name, body, given, kept }: SavedEntry,
  { store, orgId, isKeyed, beside = [] }: ReferenceSurroundings,
): Promise<readonly SpecProblem[]> {
  const references = await secretReferenceProblems({ kind, name, body }, given, secretsAround(store, orgId, beside));
  if (kind === "Secret") {
    const isGiven = Object.hasOwn(given, SECRET_VALUE);
    const hasValue = isGiven || Object.hasOwn(kept, SECRET_VALUE);
    return [...references, ...secretValueProblems(body, { hasValue, isGiven, isKeyed })];
  }
  if (kind === "Channel") {
    const channels = beside.filter((one) => one.kind === "Channel").map((one) => one.name);
    const known = [name, ...channels, ...(await everyEntry(store, orgId, "channel")).map(({ id }) => id)];
    return [...references, ...unknownChannels(body, known)];
  }
  if (kind !== "Trigger") return references;
  const secrets = Object.keys({ ...kept, ...given });
  const around = { ...workflowsAround(store, orgId, sourcesOf(beside)), secrets };
  return [...references, ...(await triggerReferenceProblems(body, around))];
}

/** Returns the texts of the workflows in a stream. */
function sourcesOf(stream: readonly Manifest[]): ReadonlyMap<string, string> {
  return new Map(
    stream.flatMap(({ kind, name, spec }) => {
      const source = kind === "Workflow" && isJsonObject(spec) ? spec["source"] : undefined;
      return typeof source === "string" ? [[name, source] as const] : [];
    }),
  );
}

/** Returns the values to seal with an entry: the given ones and those the server adds. */
export function sealedWith({ kind, name, body, given, kept }: SavedEntry): Readonly<Record<string, string>> {
  if (kind === "Trigger") return { ...given, ...madeSecrets(name, body, Object.keys(kept)) };
  // When the value moves to an outside source, the stored copy is removed.
  const isMoved = kind === "Secret" && Object.hasOwn(kept, SECRET_VALUE) && isJsonObject(body["from"] ?? null);
  return isMoved ? { [SECRET_VALUE]: "" } : given;
}
