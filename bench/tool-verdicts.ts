/** Tool calls alone: what a ruling on one takes in process, from the request to the rows of its verdict and its audit entry. */
import { createVirtualClock } from "../src/clock/index.ts";
import { digestJson, type Json, type JsonObject, required } from "../src/core/base/index.ts";
import { EMPTY_CATALOG } from "../src/core/definition/index.ts";
import type { RequestToolVerdict } from "../src/core/engine/index.ts";
import { checkSource } from "../src/core/plan/index.ts";
import { openGateways } from "../src/gateway/index.ts";
import { type AboutRun, type Governor, openGovernance } from "../src/governance/index.ts";
import { entryKindOf, readSpec, type RegisteredKind } from "../src/registry/index.ts";
import { createMemoryStore, type Store } from "../src/store/index.ts";
import { type Line, table } from "./report.ts";
import { median, ORG } from "./runtime.ts";

export interface ToolVerdictFigure {
  readonly policies: number;
  readonly argsBytes: number;
  readonly microsPerCall: number;
}

/** Policies of the category `tool`, and what args take as JSON. */
const SCENES = [
  { policies: 2, argsBytes: 256 },
  { policies: 2, argsBytes: 4_096 },
  { policies: 50, argsBytes: 4_096 },
] as const;
const MANIFESTS = 20;
const ROUNDS = 7;
/** Calls per round. */
const ROUND = 5_000;
const CALL_MICROS_MAX = 50;
const AT = Date.UTC(2031, 4, 4, 10);

export async function measureToolVerdicts(): Promise<readonly ToolVerdictFigure[]> {
  const figures: ToolVerdictFigure[] = [];
  for (const scene of SCENES) figures.push({ ...scene, microsPerCall: await measureScene(scene) });
  return figures;
}

export function toolVerdictTable(figures: readonly ToolVerdictFigure[]): string {
  const lines = figures.map(({ policies, argsBytes, microsPerCall }): Line => ({
    what: `${policies} policies, args of ${argsBytes} bytes`,
    ratio: microsPerCall / CALL_MICROS_MAX,
    value: microsPerCall,
    unit: "µs/call",
    against: `at most ${CALL_MICROS_MAX}`,
  }));
  return table("ruling on a tool call", lines);
}

async function measureScene({ policies, argsBytes }: (typeof SCENES)[number]): Promise<number> {
  const store = createMemoryStore();
  await register(store, policies);
  const governor = await governorOn(store);
  const about = aboutRun();
  const requests = Array.from({ length: 100 }, (_, index) => requestOf(about, index, argsBytes));
  const micros: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = performance.now();
    for (let count = 0; count < ROUND; count += 1) {
      const request = required(requests[count % requests.length], "there are requests");
      const { verdict, taken } = governor.decideTool(request, about);
      if (verdict.disposition !== "allow") throw new Error("a gate refused the benchmark");
      if (taken !== null) governor.dropped(ORG, { taken: [], takenInTurns: [taken] });
    }
    micros.push(((performance.now() - before) * 1_000) / ROUND);
  }
  return median(micros);
}

/** Half of the manifests and all policies have to be looked at, and one of the manifests limits, redacts and classifies. */
async function register(store: Store, policies: number): Promise<void> {
  await store.ensureOrganisation(ORG);
  const put = async (kind: RegisteredKind, name: string, spec: Json): Promise<void> => {
    const read = readSpec(kind, name, spec);
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    await store.putEntry(ORG, entryKindOf(kind), name, read.body, AT);
  };
  const rate = { count: 1_000_000, per_seconds: 60 };
  await put("Tool", "searches", { name: "web/*", action: "read", rate, redact: ["token"], timeout: "30s" });
  for (let index = 1; index < MANIFESTS; index += 1) {
    await put("Tool", `tool-${index}`, { name: `server-${index}/*`, action: "write", approval: "required" });
  }
  for (let index = 0; index < policies; index += 1) {
    const condition = `tool.args.count > ${1_000 + index} and tool.action == 'financial'`;
    await put("Policy", `policy-${index}`, { category: "tool", condition, action: "block" });
  }
}

function onTrouble(what: string, error: unknown): never {
  throw new Error(what, { cause: error });
}

async function governorOn(store: Store): Promise<Governor> {
  const clock = createVirtualClock(AT);
  const local = { providers: ["scripted"], defaultProvider: "scripted", answersAny: true };
  const { directory } = await openGateways({ store, clock, secretKey: null, local, onTrouble });
  const { governor } = openGovernance({ store, directory, clock, isAlone: true, startRate: null, onTrouble });
  await governor.prepare(new Set([ORG]));
  return governor;
}

function aboutRun(): AboutRun {
  const { plan } = checkSource("name: w\nsteps: [{ id: a, command: go, tools: ['web/*'] }]\n", EMPTY_CATALOG);
  return {
    orgId: ORG,
    runId: "run_00000000000000000001",
    plan: required(plan, "the workflow can be run"),
    workflow: "w",
    depth: 0,
    gateway: null,
    model: null,
    roleBindings: {},
    args: { topic: "tea", depth: 3 },
    isBegun: true,
    at: AT,
    nextEventId: 12,
  };
}

function requestOf({ runId, plan }: AboutRun, index: number, argsBytes: number): RequestToolVerdict {
  const args = argsOf(index, argsBytes);
  return {
    type: "request-tool-verdict",
    nodeId: "a",
    epoch: 0,
    attempt: 1,
    callId: `${runId}/a/0/${index}/0`,
    round: index,
    call: { tool: "search", server: "web", args },
    argsDigest: digestJson(args),
    callsBefore: index % 50,
    repeatsBefore: 0,
    isApproved: false,
    route: { agentId: "default", gatewayId: "local", provider: "scripted", model: null, executionPath: "edge" },
    hints: required(plan.nodes[0], "the plan has a node").request,
  };
}

/** A few fields and a list of small records, as tools take them. */
function argsOf(index: number, bytes: number): JsonObject {
  const head = { query: `what is new in week ${index}`, count: index, token: "x".repeat(40) };
  const items: JsonObject[] = [];
  const size = (): number => JSON.stringify({ ...head, items }).length;
  while (size() < bytes - 60) items.push({ id: items.length, name: `item ${items.length}`, isNew: true });
  return { ...head, items };
}
