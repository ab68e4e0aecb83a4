import type { Json } from "../../../src/core/base/index.ts";
import type { Manifest } from "../../integration/support/governed.ts";
import type { Prng } from "../prng.ts";
import { agentInRole, bindingManifest, drawBindings, drawBound, type SceneBinding } from "./roles.ts";

/** An agent as people registered it. Its number of slots may change while runs are under way. */
export interface SceneAgent {
  readonly id: string;
  readonly maxConcurrent: number;
  readonly rate: { readonly count: number; readonly perSeconds: number } | null;
  readonly monthlyMicros: number | null;
}

export interface SceneBudget {
  readonly id: string;
  readonly scope: "global" | "agent" | "workflow";
  readonly scopeId: string | null;
  readonly period: "daily" | "weekly" | "monthly";
  readonly micros: number;
}

export interface SceneStep {
  readonly id: string;
  /** The agent that does it, named or found by the role; null for a step that is a run of its own. */
  readonly agent: string | null;
  readonly role: string | null;
  readonly estimateMicros: number;
  readonly text: Readonly<Record<string, Json>>;
}

export interface SceneWorkflow {
  readonly name: string;
  readonly source: string;
  readonly steps: ReadonlyMap<string, SceneStep>;
}

/** Something people or the world do, at a moment. */
export type Act =
  | { readonly kind: "launch"; readonly workflow: number; readonly replica: number }
  | { readonly kind: "cancel"; readonly run: number; readonly replica: number }
  | { readonly kind: "answer"; readonly pick: number; readonly isYes: boolean }
  | { readonly kind: "slots"; readonly agent: number; readonly maxConcurrent: number }
  | { readonly kind: "bound"; readonly binding: number; readonly micros: number }
  | { readonly kind: "report_again"; readonly pick: number; readonly isOutdated: boolean }
  | { readonly kind: "policy" }
  | { readonly kind: "close" | "open" }
  | { readonly kind: "crash"; readonly replica: number };

export interface Faults {
  readonly awayBefore: number;
  readonly awayAfter: number;
  readonly slow: number;
  /** After a commit that has to be reported to a parent run. */
  readonly awayBeforeReport: number;
}

export interface Scene {
  readonly startAt: number;
  readonly replicas: number;
  readonly agents: readonly SceneAgent[];
  readonly budgets: readonly SceneBudget[];
  readonly bindings: readonly SceneBinding[];
  /** The step that a policy holds for a person; null: there is no policy. */
  readonly heldStep: string | null;
  readonly workflows: readonly SceneWorkflow[];
  readonly acts: readonly { readonly afterMs: number; readonly act: Act }[];
  readonly faults: Faults;
}

export const CALM: Faults = { awayBefore: 0, awayAfter: 0, slow: 0, awayBeforeReport: 0 };
const HORIZON_MS = 15_000;
/** Half a minute before a day, a week and a month end at once. */
const EVE = Date.UTC(2027, 1, 1) - 8_000;
const NOON = Date.UTC(2026, 10, 15, 12);

export function drawScene(dice: Prng): Scene {
  const agents = Array.from({ length: dice.between(1, 3) }, (_, index) => drawAgent(dice, index));
  const names = Array.from({ length: dice.between(1, 3) }, (_, index) => `w-${index}`);
  // Streams of their own: whether there are roles and families changes nothing else that is drawn.
  const roles = dice.fork("roles");
  const ids = agents.map(({ id }) => id);
  const bindings = drawBindings(roles, ids, names);
  const cast: Cast = { agents: ids, bindings, roles, families: dice.fork("families"), names };
  const workflows = names.map((name) => drawWorkflow(dice, name, cast));
  const isRough = dice.chance(0.6);
  const replicas = dice.chance(0.6) ? 2 : 1;
  return {
    startAt: dice.chance(0.3) ? EVE : NOON,
    replicas,
    agents,
    budgets: Array.from({ length: dice.below(4) }, (_, index) => drawBudget(dice, index, agents, workflows)),
    bindings,
    heldStep: dice.chance(0.5) ? `s${dice.below(4)}` : null,
    workflows,
    acts: drawActs(dice, { agents, workflows, replicas, bindings }),
    faults: isRough
      ? {
          awayBefore: dice.float() * 0.1,
          awayAfter: dice.float() * 0.1,
          slow: dice.float() * 0.3,
          awayBeforeReport: 0.4,
        }
      : CALM,
  };
}

function drawAgent(dice: Prng, index: number): SceneAgent {
  return {
    id: `agent-${index}`,
    maxConcurrent: dice.between(1, 4),
    rate: dice.chance(0.5) ? { count: dice.between(1, 5), perSeconds: dice.between(1, 3) } : null,
    monthlyMicros: dice.chance(0.4) ? dice.between(5, 60) * 100 : null,
  };
}

function drawBudget(
  dice: Prng,
  index: number,
  agents: readonly SceneAgent[],
  workflows: readonly SceneWorkflow[],
): SceneBudget {
  const scope = dice.pick(["global", "agent", "workflow"] as const);
  const scopeId = { global: null, agent: dice.pick(agents).id, workflow: dice.pick(workflows).name }[scope];
  return {
    id: `budget-${index}`,
    scope,
    scopeId,
    period: dice.pick(["daily", "weekly", "monthly"] as const),
    micros: dice.between(5, 80) * 100,
  };
}

/** Who may do the steps of a workflow, and in which workflows. */
interface Cast {
  readonly agents: readonly string[];
  readonly bindings: readonly SceneBinding[];
  readonly roles: Prng;
  readonly families: Prng;
  readonly names: readonly string[];
}

function drawWorkflow(dice: Prng, name: string, cast: Cast): SceneWorkflow {
  const count = dice.between(1, 8);
  const own = Array.from({ length: count }, (_, place) => drawStep(dice, place, name, cast));
  const steps = [...own, ...drawChild(cast, name, own)];
  const source = JSON.stringify({
    name,
    max_parallel: dice.pick([2, 4, 50]),
    steps: steps.map(({ text }) => text),
  });
  return { name, source, steps: new Map(steps.map((step) => [step.id, step])) };
}

/** A workflow may start those after it, so that no family is without end. */
function drawChild({ families, names }: Cast, name: string, own: readonly SceneStep[]): readonly SceneStep[] {
  const later = names.slice(names.indexOf(name) + 1);
  if (later.length === 0 || !families.chance(0.7)) return [];
  const id = "child";
  const text = {
    id,
    workflow_ref: families.pick(later),
    depends_on: own.map((step) => step.id).filter(() => families.chance(0.15)),
    on_failure: families.pick(["skip", "halt"]),
    ...(families.chance(0.7) ? { timeout: families.between(1, 3) } : {}),
  };
  return [{ id, agent: null, role: null, estimateMicros: 0, text }];
}

function drawStep(dice: Prng, place: number, workflow: string, { agents, bindings, roles }: Cast): SceneStep {
  const id = `s${place}`;
  const named = dice.pick(agents);
  const asked = roles.chance(0.5) ? roles.pick(["writer", "editor"]) : "no_such_role";
  const found = agentInRole(bindings, asked, workflow);
  const role = found === null ? null : asked;
  const agent = found ?? named;
  const estimateMicros = dice.below(8) * 100;
  const parents = Array.from({ length: place }, (_, other) => `s${other}`).filter(() => dice.chance(0.25));
  const onFailure = dice.pick(["skip", "halt", "retry", "retry", "retry"]);
  const retry = { attempts: dice.between(2, 3), backoff_ms: dice.pick([0, 50, 700]), max_backoff_ms: 1_000 };
  return {
    id,
    agent,
    role,
    estimateMicros,
    text: {
      id,
      command: "go",
      ...(role === null ? { agent } : { role }),
      depends_on: parents,
      estimated_cost: estimateMicros / 1_000_000,
      timeout: dice.between(1, 4),
      on_failure: onFailure,
      ...(onFailure === "retry" ? { retry } : {}),
    },
  };
}

function drawActs(
  dice: Prng,
  { agents, workflows, replicas, bindings }: Pick<Scene, "agents" | "workflows" | "replicas" | "bindings">,
): Scene["acts"] {
  const acts: { afterMs: number; act: Act }[] = [];
  const add = (act: Act, afterMs = dice.below(HORIZON_MS)): number => acts.push({ afterMs, act });
  const runs = dice.between(1, 7);
  for (let run = 0; run < runs; run += 1) {
    const launch: Act = { kind: "launch", workflow: dice.below(workflows.length), replica: dice.below(replicas) };
    add(launch, dice.chance(0.6) ? 0 : dice.below(HORIZON_MS / 2));
    if (dice.chance(0.25)) add({ kind: "cancel", run, replica: dice.below(replicas) });
  }
  for (let answers = dice.below(6); answers > 0; answers -= 1)
    add({ kind: "answer", pick: dice.below(10), isYes: dice.chance(0.8) });
  if (dice.chance(0.3)) add({ kind: "slots", agent: dice.below(agents.length), maxConcurrent: dice.between(1, 5) });
  if (dice.chance(0.5)) add({ kind: "policy" });
  if (dice.chance(0.3)) {
    const closedAt = dice.below(HORIZON_MS / 2);
    add({ kind: "close" }, closedAt);
    add({ kind: "open" }, closedAt + dice.between(500, 6_000));
  }
  if (dice.chance(0.3)) add({ kind: "crash", replica: dice.below(replicas) });
  const late = dice.fork("late");
  const moment = (): number => late.below(HORIZON_MS);
  const binding = late.below(Math.max(1, bindings.length));
  if ((bindings[binding]?.boundMicros ?? null) !== null && late.chance(0.3))
    add({ kind: "bound", binding, micros: drawBound(late) }, moment());
  const hasFamilies = workflows.some(({ steps }) => steps.has("child"));
  for (let reports = hasFamilies ? late.below(4) : 0; reports > 0; reports -= 1)
    add({ kind: "report_again", pick: late.below(10), isOutdated: late.chance(0.5) }, moment());
  return acts.sort((left, right) => left.afterMs - right.afterMs);
}

export function agentManifest(agent: SceneAgent, maxConcurrent = agent.maxConcurrent): Manifest {
  const { id, rate, monthlyMicros } = agent;
  return [
    "Agent",
    id,
    {
      trust_level: 5,
      max_concurrent: maxConcurrent,
      ...(rate === null ? {} : { rate_limit: { count: rate.count, per_seconds: rate.perSeconds } }),
      ...(monthlyMicros === null ? {} : { budget_monthly_usd: monthlyMicros / 1_000_000 }),
    },
  ];
}

export function policyManifest(stepId: string, reason: string): Manifest {
  return [
    "Policy",
    "ask-first",
    {
      category: "guardrail",
      scope: "global",
      condition: `node.id == '${stepId}'`,
      action: "require_approval",
      enforcement: "hard",
      reason,
    },
  ];
}

export function manifestsOf({ agents, budgets, bindings, heldStep }: Scene): readonly Manifest[] {
  return [
    ...agents.map((agent) => agentManifest(agent)),
    ...budgets.map(({ id, scope, scopeId, period, micros }): Manifest => [
      "Budget",
      id,
      { scope, ...(scopeId === null ? {} : { scope_id: scopeId }), period, amount_usd: micros / 1_000_000 },
    ]),
    ...bindings.map((binding) => bindingManifest(binding)),
    ...(heldStep === null ? [] : [policyManifest(heldStep, "at first")]),
  ];
}
