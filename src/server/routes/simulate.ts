import type { z } from "zod";
import { simulateBody, type SimulationReport, simulationSchema } from "../../contract/index.ts";
import { digestText, type JsonObject } from "../../core/base/index.ts";
import { EMPTY_CATALOG } from "../../core/definition/index.ts";
import { checkSource, compilePinned } from "../../core/plan/index.ts";
import { gatherPins, launchFacts } from "../../launch/index.ts";
import {
  EMPTY_SCRIPT,
  type SimulationOptions,
  type SimulationInput,
  readScript,
  simulateGoverned,
  simulateOpen,
  SimulationTooLong,
  type Script,
  type Simulation,
  simulationOf,
} from "../../simulation/index.ts";
import type { WorkflowRecord } from "../../store/index.ts";
import { requirePermission } from "../auth.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route, type Services } from "../route.ts";
import { invalidRequest } from "../shape.ts";
import { requireArgs } from "./runs.ts";
import { invalidDefinition, requireVersion } from "./workflows.ts";

/** Limit of concurrent simulations, which share the process with everything else. */
const AT_ONCE_MAX = 4;
const TIME_MS_MAX = 15_000;

type SimulateCall = Call<z.output<typeof simulateBody>, undefined>;

export const simulateRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/simulate",
    operation: "simulate",
    summary:
      "Simulates a workflow with scripted answers and the real gates: what it would do, wait for and cost. Nothing is stored. " +
      "With governance live the key also needs governance:read.",
    permission: "workflow:read",
    body: { schema: simulateBody, bytesMax: BODY_BYTES_MAX.definition, types: [JSON_TYPE], isOptional: false },
    replies: { 200: { description: "Plan, verdicts, events and forecast", schema: simulationSchema } },
    handle: simulate,
  }),
];

async function simulate(call: SimulateCall): Promise<Response> {
  const { services, principal, body } = call;
  const isLive = body.governance === "live";
  if (isLive) requirePermission(principal, "governance:read");
  const { text, record } = await requireText(call);
  const input: SimulationInput = {
    ...text,
    hash: digestText(text.source),
    args: requireArgs(text.plan, body.args ?? {}),
    script: requireScript(body.script),
  };
  const deadline = performance.now() + TIME_MS_MAX;
  const at = services.config.now();
  const options: SimulationOptions = { approve: body.approve, at, mayContinue: () => performance.now() < deadline };
  const report: SimulationReport = await oneOfFew(services, () =>
    isLive ? live(call, input, record, options) : open(input, options),
  );
  return json(report);
}

async function live(
  { services, principal, body }: SimulateCall,
  input: SimulationInput,
  record: WorkflowRecord | undefined,
  options: SimulationOptions,
): Promise<Simulation> {
  const { governance, gateways, store } = services;
  const { plan, args } = input;
  const environment = {
    orgId: principal.orgId,
    directory: gateways.directory,
    registered: governance.registered,
    counters: store,
  };
  const facts = launchFacts({ workflow: plan.name, args, gateway: body.gateway ?? null }, record);
  const subject = { ...facts, hasApprovedLaunch: false, keyId: principal.keyId };
  return simulationOf(plan, await simulateGoverned(input, environment, subject, options));
}

async function open(input: SimulationInput, options: SimulationOptions): Promise<Simulation> {
  return simulationOf(input.plan, await simulateOpen(input, options));
}

type Text = Pick<SimulationInput, "source" | "pins" | "texts" | "plan" | "version">;

interface Found {
  readonly text: Text;
  /** The saved workflow, whose settings also apply to a new text of it: both pass the same gates. */
  readonly record: WorkflowRecord | undefined;
}

async function requireText(call: SimulateCall): Promise<Found> {
  const { services, principal, body } = call;
  const { source, workflow } = body;
  if ((source === undefined) === (workflow === undefined)) {
    const message = 'Give either the text of a workflow as "source", or the name of one as "workflow".';
    throw invalidRequest([{ code: "missing_field", message, path: "source" }]);
  }
  if (workflow === undefined) return requireSource(call, source ?? "");
  const { version, workflow: record } = await requireVersion(call, workflow, body.version);
  const kept = await services.store.getVersion(principal.orgId, workflow, version);
  if (kept === undefined) throw new Refused("unknown_version", `Version ${version} is no longer there.`);
  return { text: await textOf(call, kept.source, version), record };
}

async function requireSource(call: SimulateCall, source: string): Promise<Found> {
  const { services, principal } = call;
  const text = await textOf(call, source, null);
  return { text, record: await services.store.getWorkflow(principal.orgId, text.plan.name) };
}

/** Returns a text with everything it refers to, as it is registered now. */
async function textOf({ services, principal }: SimulateCall, source: string, version: number | null): Promise<Text> {
  const { problems } = checkSource(source, EMPTY_CATALOG, { isStored: version !== null });
  if (problems.length > 0) throw invalidDefinition(problems);
  const pinning = await gatherPins(services.store, principal.orgId, source, null);
  if (!pinning.ok) throw invalidDefinition(pinning.problems ?? [{ ...pinning, path: "" }]);
  const { pins, texts } = pinning;
  const plan = compilePinned(source, pins);
  if (plan === null) throw new Refused("invalid_definition", "The definition can no longer be compiled.");
  return { source, pins, texts, plan, version };
}

function requireScript(written: string | JsonObject | undefined): Script {
  if (written === undefined) return EMPTY_SCRIPT;
  const isText = typeof written === "string";
  const { script, problems } = readScript(isText ? written : JSON.stringify(written));
  if (problems.length === 0) return script;
  throw invalidRequest(
    problems.map(({ path, line, column, ...problem }) => ({
      ...problem,
      path: path === "" ? "script" : `script.${path}`,
      // Data without a text has no lines.
      ...(isText ? { line, column } : {}),
    })),
  );
}

const underWay = new WeakMap<Services, number>();

async function oneOfFew(services: Services, work: () => Promise<Simulation>): Promise<Simulation> {
  const before = underWay.get(services) ?? 0;
  if (before >= AT_ONCE_MAX) {
    const detail = `${AT_ONCE_MAX} simulations are under way, and no more are begun until one has ended.`;
    throw new Refused("overloaded", detail, { headers: { "retry-after": "2" } });
  }
  underWay.set(services, before + 1);
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SimulationTooLong)) throw error;
    const detail = `The simulation was stopped after ${TIME_MS_MAX / 1_000} s, or because it has too many events.`;
    throw new Refused("simulation_too_long", detail);
  } finally {
    underWay.set(services, (underWay.get(services) ?? 1) - 1);
  }
}
