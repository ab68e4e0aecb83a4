import { randomBytes } from "node:crypto";
import { getOwn, isJsonObject, type Json, type JsonObject, jsonToText } from "../core/base/index.ts";
import { type Definition, didYouMean, EMPTY_CATALOG, readDefinition } from "../core/definition/index.ts";
import type { WorkflowStore } from "../store/index.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";
import { isOpen } from "./trigger-kind.ts";
import { triggerOf } from "./trigger.ts";

/** The entries a trigger may refer to. */
export interface TriggerSurroundings {
  /** Returns the text of a workflow; undefined when it does not exist. */
  readonly sourceOf: (workflow: string) => Promise<string | undefined>;
  readonly workflowNames: () => Promise<readonly string[]>;
  /** Names of the secrets that are stored for the trigger or given with it. */
  readonly secrets: readonly string[];
}

const NAMES_MAX = 1_000;

/** Finds the saved workflows; those of `beside` take precedence. */
export function workflowsAround(
  store: Pick<WorkflowStore, "getWorkflow" | "getDefinition" | "listWorkflows">,
  orgId: string,
  beside: ReadonlyMap<string, string> = new Map(),
): Pick<TriggerSurroundings, "sourceOf" | "workflowNames"> {
  return {
    sourceOf: async (workflow) => {
      const record = beside.has(workflow) ? undefined : await store.getWorkflow(orgId, workflow);
      if (record === undefined) return beside.get(workflow);
      return (await store.getDefinition(orgId, record.latest.hash))?.source ?? "";
    },
    workflowNames: async () => {
      const { data } = await store.listWorkflows(orgId, { limit: NAMES_MAX, cursor: null });
      return [...beside.keys(), ...data.map(({ name }) => name)];
    },
  };
}

/** Returns the problems of a trigger that depend on the entries it refers to. */
export async function triggerReferenceProblems(
  body: JsonObject,
  around: TriggerSurroundings,
): Promise<readonly SpecProblem[]> {
  const [workflow, on] = [getOwn(body, "workflow"), getOwn(body, "on")];
  const problems = secretProblems(on, around.secrets);
  if (typeof workflow !== "string") return problems;
  const source = await around.sourceOf(workflow);
  if (source === undefined) {
    const names = await around.workflowNames();
    const hint = didYouMean(workflow, names) ?? "Save the workflow first, or apply it together with the trigger.";
    return [
      ...problems,
      specProblem("unknown_workflow", ["workflow"], `There is no workflow "${workflow}".`, { hint }),
    ];
  }
  const { definition } = readDefinition(source, EMPTY_CATALOG, { isStored: true });
  if (definition === null) return problems;
  return [...problems, ...limitProblems(workflow, definition, body), ...argProblems(workflow, definition, body)];
}

function secretProblems(on: Json | undefined, secrets: readonly string[]): readonly SpecProblem[] {
  const hook = isJsonObject(on) ? getOwn(on, "hook") : undefined;
  if (!isJsonObject(hook) || hook["verify"] === "none" || secrets.includes("secret")) return [];
  const at = ["on", "hook", "secret"];
  const message = `A hook with verify: ${jsonToText(hook["verify"])} needs "secret".`;
  return [specProblem("missing_field", at, message, { hint: "Add what you share with the sender." })];
}

/** Refuses a second concurrency setting, because a run counts under one key only. */
function limitProblems(workflow: string, definition: Definition, body: JsonObject): readonly SpecProblem[] {
  const written = definition.format === "lobsterx" ? definition : definition.last;
  const isLimited = (written?.concurrency ?? null) !== null;
  if (!isLimited || (getOwn(body, "concurrency") ?? null) === null) return [];
  const message = `The workflow "${workflow}" limits its runs itself, whatever starts them.`;
  const more = { isAtKey: true, hint: "Write concurrency in one of the two." };
  return [specProblem("conflicting_fields", ["concurrency"], message, more)];
}

function argProblems(workflow: string, definition: Definition, body: JsonObject): readonly SpecProblem[] {
  const args = getOwn(body, "args");
  if (!isJsonObject(args)) return [];
  const declared = Object.keys(definition.format === "lobsterx" ? definition.args : definition.rootInputs);
  return Object.keys(args).flatMap((name) => {
    if (declared.includes(name)) return [];
    const listed = declared.length === 0 ? "It takes no args." : `It takes ${declared.join(", ")}.`;
    const more = { isAtKey: true, hint: didYouMean(name, declared) ?? listed };
    return [specProblem("unknown_key", ["args", name], `The workflow "${workflow}" has no arg "${name}".`, more)];
  });
}

const PATH_BYTES = 24;

/** Creates the secret part of the address of a trigger that has no other protection. */
export function madeSecrets(name: string, body: JsonObject, kept: readonly string[]): Readonly<Record<string, string>> {
  const trigger = triggerOf({ id: name, revision: 0, body, createdAt: 0, updatedAt: 0, savedBy: null });
  if (kept.includes("path") || !isOpen(trigger)) return {};
  return { path: randomBytes(PATH_BYTES).toString("base64url") };
}
