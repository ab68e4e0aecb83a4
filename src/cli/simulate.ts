import type { SimulationReport, SimulationRequest } from "../client/index.ts";
import { RUN_STATUSES } from "../core/event/index.ts";
import { checkSource } from "../core/plan/index.ts";
import {
  type ApproveMode,
  buildEnvironment,
  type BuiltEnvironment,
  type GovernanceMode,
  type SimulationInput,
  simulateGoverned,
  simulateOpen,
  SimulationTooLong,
  simulationOf,
} from "../simulation/index.ts";
import { Api } from "./api.ts";
import { readArgs } from "./args.ts";
import { EXIT } from "./exit-code.ts";
import { printForecast } from "./forecast.ts";
import type { Io } from "./io.ts";
import { printJson } from "./listing.ts";
import { readManifests } from "./manifest.ts";
import { exitCodeOf } from "./run-outcome.ts";
import { printProblems } from "./problem-report.ts";
import { Refusal } from "./refusal.ts";
import { SERVER_CATALOG } from "./remote-plan.ts";
import { isFile } from "./remote-run.ts";
import { prepare, type RunOptions } from "./run.ts";
import { findServer, type LinkOptions } from "./server-link.ts";
import { readSourceFile } from "./source-file.ts";
import { printable } from "./terminal-text.ts";
import { readWorkflowFile } from "./workflow-file.ts";

export interface SimulateOptions
  extends Pick<RunOptions, "arg" | "argsFile" | "script" | "library" | "json" | "quiet">, LinkOptions {
  readonly governance?: GovernanceMode;
  /** Manifests used in place of the registered objects. */
  readonly registry?: readonly string[];
  readonly approve?: ApproveMode;
}

/** Simulates a workflow with the rules of a server, of manifests, or of a new organisation. */
export async function simulate(io: Io, target: string, options: SimulateOptions): Promise<number> {
  const api = chooseServer(io, options);
  const { report, about } =
    api === null
      ? await simulateHere(io, target, options).catch(explain)
      : await simulateThere(io, api, target, options);
  if (options.json === true) printJson(io, report);
  else printForecast(io, report, about);
  return exitCodeFor(report.status);
}

interface Shown {
  readonly report: SimulationReport;
  readonly about: string;
}

/** Returns the server whose rules are wanted. Null when none is needed, as a simulation needs no server. */
function chooseServer(io: Io, options: SimulateOptions): Api | null {
  const { governance, registry, library, url } = options;
  const isWanted = url !== undefined || (governance === "live" && registry === undefined && library === undefined);
  const link = isWanted ? findServer(io, options) : null;
  if (link === null) return null;
  const local = [registry === undefined ? [] : ["--registry"], library === undefined ? [] : ["--library"]].flat();
  if (local.length > 0) throw new Refusal(`${local.join(", ")} and --url exclude each other: a server has its own`);
  return new Api(link);
}

async function simulateThere(io: Io, api: Api, target: string, options: SimulateOptions): Promise<Shown> {
  const { governance = "live", approve = "all" } = options;
  const script = options.script === undefined ? {} : { script: await textOf(io, options.script) };
  const request = { ...(await simulationRequestFor(io, api, target, options)), ...script, governance, approve };
  const report = await api.simulate(request);
  const about = governance === "none" ? OPEN : `by what is registered and spent at ${api.url} now`;
  return { report, about };
}

/** Checks the args here, where flags can be converted to the declared types. */
async function simulationRequestFor(
  io: Io,
  api: Api,
  target: string,
  options: SimulateOptions,
): Promise<SimulationRequest> {
  if (!isFile(io, target)) {
    const [, workflow = target, wanted] = /^(.+?)(?:@([1-9]\d{0,8}))?$/s.exec(target) ?? [];
    const version = wanted === undefined ? (await api.getWorkflow(workflow)).version : Number(wanted);
    const { source } = await api.getVersion(workflow, version);
    const { plan } = checkSource(source, SERVER_CATALOG, { isStored: true });
    return { workflow, version, args: await readArgs(io, plan?.args ?? {}, options) };
  }
  const file = await readWorkflowFile(io, target);
  const { plan, problems } = checkSource(file.bytes, SERVER_CATALOG);
  printProblems(io, file, problems);
  if (plan === null) throw new Refusal(`${printable(target)} is not valid`);
  return { source: decode(file.bytes), args: await readArgs(io, plan.args, options) };
}

async function textOf(io: Io, name: string): Promise<string> {
  return decode((await readSourceFile(io, name)).bytes);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Start of a simulation with every gate open. No rule depends on it, and a fixed moment makes simulations repeatable. */
const OPEN_AT = Date.UTC(2026, 0, 1);
const OPEN = "every gate is open";

async function simulateHere(io: Io, target: string, options: SimulateOptions): Promise<Shown> {
  const file = await readWorkflowFile(io, target);
  const { workspace, args, script } = await prepare(io, file, options);
  const { plan } = workspace.workflow;
  const input: SimulationInput = { ...workspace.workflow, args, script };
  const how = { approve: options.approve ?? "all", mayContinue: () => true } as const;
  if (options.governance === "none") {
    const simulated = await simulateOpen(input, { ...how, at: OPEN_AT });
    return { report: simulationOf(plan, simulated), about: OPEN };
  }
  const environment = await requireEnvironment(io, options, workspace.plans);
  const record = await environment.workflow(plan.name);
  const { status = "active", posture = "bounded_autonomous" } = record ?? {};
  const request = { status, posture, hasApprovedLaunch: false, depth: 0, gateway: null };
  const simulated = await simulateGoverned(input, environment, request, { ...how, at: io.clock.now() });
  return { report: simulationOf(plan, simulated), about: aboutEnvironment(options, environment) };
}

function explain(thrown: unknown): never {
  if (!(thrown instanceof SimulationTooLong)) throw thrown;
  throw new Refusal("it takes longer than a simulation can show");
}

async function requireEnvironment(
  io: Io,
  { registry }: SimulateOptions,
  plans: readonly SimulationInput["plan"][],
): Promise<BuiltEnvironment> {
  const manifests = registry === undefined ? null : (await readManifests(io, registry)).map(({ manifest }) => manifest);
  const built = await buildEnvironment(manifests, plans, io.clock);
  if (built.ok) return built.environment;
  for (const { kind, name, problems = [] } of built.applied) {
    for (const { code, message } of problems) {
      io.err.write(`${printable(kind)} ${printable(name)}: ${code}: ${printable(message)}\n`);
    }
  }
  throw new Refusal("what is to be registered is not valid");
}

function aboutEnvironment({ registry }: SimulateOptions, { assumedAgents }: BuiltEnvironment): string {
  if (registry !== undefined) return `by ${registry.map(printable).join(", ")}, with nothing spent yet`;
  const assumed = assumedAgents.length === 0 ? "" : `; ${assumedAgents.map(printable).join(", ")} taken as new agents`;
  return `by the rules of a new organisation${assumed}; --registry brings others`;
}

function exitCodeFor(status: string): number {
  if (status === "refused") return EXIT.refused;
  const known = RUN_STATUSES.find((one) => one === status);
  return known === undefined ? EXIT.waiting : exitCodeOf(known);
}
