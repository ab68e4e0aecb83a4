import { z } from "zod";
import type { JsonObject } from "../core/base/index.ts";
import type { Deployment } from "../core/governance/index.ts";
import type { Entry } from "../store/index.ts";
import { name, readBody, spec, whole, workflowName } from "./field.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";

export const deploymentSpec = spec({
  workflow: workflowName.nullish().describe("Workflow that is deployed, or else an agent"),
  agent: name.nullish().describe("Agent that is deployed, for all workflows"),
  version: whole(1).nullish().describe("Version of the workflow. Default: the newest"),
  gateway: name.describe("Gateway that executes the deployment"),
  role_bindings: z.record(name, name).default({}).describe("Agent for each role in this deployment"),
  environment: name.nullish().describe("Environment, such as production, for policies"),
  active: z.boolean().default(true).describe("Whether the deployment is used"),
});

export function deploymentProblems(written: JsonObject): readonly SpecProblem[] {
  const has = (key: string): boolean => Object.hasOwn(written, key) && written[key] !== null;
  if (has("workflow") && has("agent")) {
    const message = `A deployment is of a "workflow" or of an "agent", not of both.`;
    return [specProblem("conflicting_fields", ["agent"], message, { isAtKey: true, hint: "Write two deployments." })];
  }
  if (!has("workflow") && !has("agent")) {
    const message = `A deployment needs "workflow" or "agent".`;
    return [specProblem("missing_field", ["workflow"], message, { hint: "Name what is deployed." })];
  }
  if (!has("version") || has("workflow")) return [];
  const message = `"version" is a version of a workflow, and means nothing for an agent.`;
  return [specProblem("conflicting_fields", ["version"], message, { isAtKey: true, hint: "Remove it." })];
}

export function deploymentOf({ id, body }: Entry): Deployment {
  const written = readBody(deploymentSpec, body);
  return {
    id,
    workflow: written.workflow ?? null,
    agent: written.agent ?? null,
    version: written.version ?? null,
    gateway: written.gateway,
    roleBindings: written.role_bindings,
    environment: written.environment ?? null,
    isActive: written.active,
  };
}
