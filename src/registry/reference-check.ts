import { type JsonObject, isJsonObject } from "../core/base/index.ts";
import { everyEntry, type RegistryStore, type WorkflowStore } from "../store/index.ts";
import { unknownChannels } from "./channel.ts";
import type { RegisteredKind } from "./kind.ts";
import type { Manifest } from "./manifest.ts";
import { secretReferenceProblems, secretsAround } from "./secret-check.ts";
import { SECRET_VALUE, secretValueProblems } from "./secret.ts";
import type { SpecProblem } from "./spec-problem.ts";
import { madeSecrets, triggerReferenceProblems, workflowsAround } from "./trigger-check.ts";

/** An entry as it would be saved. */
export interface SavedEntry {
  readonly kind: RegisteredKind;
  readonly name: string;
  readonly body: JsonObject;
  /** What was given with it and is not shown, and what is kept of that, sealed. */
  readonly given: Readonly<Record<string, string>>;
  readonly kept: Readonly<Record<string, string>>;
}

export interface ReferenceSurroundings {
  readonly store: RegistryStore & WorkflowStore;
  readonly orgId: string;
  /** Whether SLUICE_SECRET_KEY is set. */
  readonly isKeyed: boolean;
  /** What is saved together with it. */
  readonly beside?: readonly Manifest[];
}

/** What is wrong with an entry, seen from what it refers to and what is kept of it. */
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

/** The texts of the workflows of a stream. */
function sourcesOf(stream: readonly Manifest[]): ReadonlyMap<string, string> {
  return new Map(
    stream.flatMap(({ kind, name, spec }) => {
      const source = kind === "Workflow" && isJsonObject(spec) ? spec["source"] : undefined;
      return typeof source === "string" ? [[name, source] as const] : [];
    }),
  );
}

/** What is sealed with an entry: what was given, and what the server adds to it. */
export function sealedWith({ kind, name, body, given, kept }: SavedEntry): Readonly<Record<string, string>> {
  if (kind === "Trigger") return { ...given, ...madeSecrets(name, body, Object.keys(kept)) };
  // A value that is kept elsewhere from now on is not kept here any more.
  const isMoved = kind === "Secret" && Object.hasOwn(kept, SECRET_VALUE) && isJsonObject(body["from"] ?? null);
  return isMoved ? { [SECRET_VALUE]: "" } : given;
}
