import { describe, expect, it } from "vitest";
import { EMPTY_CATALOG } from "../core/definition/index.ts";
import type { RequestVerdict } from "../core/engine/index.ts";
import {
  type Agent,
  type Budget,
  type Deployment,
  maxOutputTokensFor,
  type ModelPrice,
  type RoleBinding,
} from "../core/governance/index.ts";
import { checkSource, type Plan } from "../core/plan/index.ts";
import type { GatewayView } from "../gateway/index.ts";
import { findPrice } from "../prices/index.ts";
import { DEFAULT_AGENT } from "../registry/index.ts";
import { aboutRun, LOCAL, NOTHING_REGISTERED } from "../../test/governance/scene.ts";
import { gatherFacts } from "./facts.ts";
import type { AboutRun } from "./judge.ts";
import type { Registered } from "./registered.ts";
import { Tally } from "./tally.ts";
import { WaitingRoom } from "./waiting-room.ts";

const AT = Date.UTC(2026, 10, 15, 12);
const DAY = Date.UTC(2026, 10, 15);
const MONTH = Date.UTC(2026, 10, 1);

function planOf(source: string): Plan {
  const { plan, problems } = checkSource(source, EMPTY_CATALOG);
  if (plan === null) throw new Error(JSON.stringify(problems));
  return plan;
}

const PLAIN = planOf("name: w\nsteps: [{ id: a, command: go }]\n");
const agent = (id: string, parts: Partial<Agent> = {}): Agent => ({ ...DEFAULT_AGENT, id, ...parts });

const registeredWith = (parts: Partial<Registered> = {}, agents: readonly Agent[] = []): Registered => ({
  ...NOTHING_REGISTERED,
  agents: new Map([DEFAULT_AGENT, ...agents].map((one) => [one.id, one])),
  ...parts,
});

const aboutWith = (parts: Partial<AboutRun> = {}): AboutRun => aboutRun({ plan: PLAIN, at: AT, ...parts });

interface Asked {
  readonly hints?: Partial<RequestVerdict["hints"]>;
  readonly assignedTo?: string;
  readonly contextTokens?: number;
  readonly about?: Partial<AboutRun>;
  readonly registered?: Registered;
  readonly tally?: Tally;
  readonly waiting?: WaitingRoom;
  readonly gateways?: readonly GatewayView[];
}

function gather(asked: Asked = {}) {
  const { hints = {}, assignedTo, contextTokens, about, registered, tally, waiting, gateways = [LOCAL] } = asked;
  const [node] = PLAIN.nodes;
  if (node === undefined) throw new Error("the plan has no node");
  const request: RequestVerdict = {
    type: "request-verdict",
    nodeId: "a",
    epoch: 0,
    nextAttempt: 1,
    request: { message: "twelve chars", stdin: null, inputs: {} } as unknown as RequestVerdict["request"],
    hints: { ...node.request, ...hints },
    moderation: "off",
    grants: [],
    assignedTo: assignedTo ?? null,
    ...(contextTokens === undefined ? {} : { contextTokens }),
  };
  return gatherFacts({
    request,
    about: aboutWith(about),
    registered: registered ?? registeredWith(),
    gateways,
    tally: tally ?? new Tally(),
    waiting: waiting ?? new WaitingRoom(),
  });
}

describe("the agent a node runs as", () => {
  const deployment: Deployment = {
    id: "d",
    workflow: "w",
    agent: null,
    version: null,
    gateway: "local",
    roleBindings: { writer: "by-deployment" },
    environment: "prod",
    isActive: true,
  };
  const binding = (agentId: string, workflow: string | null): RoleBinding => ({
    id: agentId,
    role: "writer",
    agent: agentId,
    workflow,
    maxSpendMicros: null,
  });
  const everything = registeredWith({
    deployments: [deployment],
    bindings: [binding("by-binding", null), binding("by-own-binding", "w")],
  });
  const plan: Plan = { ...PLAIN, agentByRole: { writer: "by-file" } };
  const writer = { role: "writer" };

  it.each<[string, Asked]>([
    ["assigned", { assignedTo: "assigned", hints: { ...writer, agent: "by-step" } }],
    ["by-step", { hints: { ...writer, agent: "by-step" }, about: { roleBindings: { writer: "by-run" } } }],
    ["by-run", { hints: writer, about: { roleBindings: { writer: "by-run" } } }],
    ["by-deployment", { hints: writer }],
    [
      "by-own-binding",
      {
        hints: writer,
        registered: registeredWith({ ...everything, deployments: [{ ...deployment, isActive: false }] }),
      },
    ],
    ["by-binding", { hints: writer, registered: registeredWith({ bindings: [binding("by-binding", null)] }) }],
    ["by-file", { hints: writer, registered: registeredWith({ bindings: [binding("elsewhere", "other")] }) }],
    ["default", { hints: { role: "reviewer" } }],
    ["default", {}],
  ])("is %s", (agentId, asked) => {
    const { about = {}, registered = everything } = asked;
    const { facts } = gather({ ...asked, registered, about: { plan, ...about } });
    expect(facts.agentId).toBe(agentId);
  });

  it.each(["constructor", "__proto__", "toString"])("of a role called %s is bound to no agent by accident", (role) => {
    expect(gather({ hints: { role } }).facts.agentId).toBe("default");
  });

  it("that is not registered is known to be unknown", () => {
    expect(gather({ hints: { agent: "ghost" } }).facts).toMatchObject({ agentId: "ghost", agent: null, rate: null });
  });
});

describe("the ceiling of an agent", () => {
  const bound = (id: string, workflow: string | null, maxSpendMicros: number | null): RoleBinding => ({
    id,
    role: "writer",
    agent: "ada",
    workflow,
    maxSpendMicros,
  });
  const bindings = [bound("everywhere", null, 50), bound("here", "w", 20), bound("elsewhere", "other", 1)];
  const ceilingOf = (asked: Asked, own: number | null = 100, bound = bindings) => {
    const registered = registeredWith({ bindings: bound }, [agent("ada", { budgetMonthlyMicros: own })]);
    const found = gather({ ...asked, registered }).facts.agentBudget;
    return found === null ? null : [found.id, found.ceilingMicros, found.boundBy ?? "own"];
  };
  const writer = { role: "writer" };
  const COUNTER = "agent/ada/monthly";

  it.each<[string, Asked, unknown]>([
    ["found through a role: its bound", { hints: writer }, [COUNTER, 20, "here"]],
    [
      "in another workflow: that of everywhere",
      { hints: writer, about: { workflow: "x" } },
      [COUNTER, 50, "everywhere"],
    ],
    [
      "bound by the run: the bound too",
      { hints: writer, about: { roleBindings: { writer: "ada" } } },
      [COUNTER, 20, "here"],
    ],
    ["named by the step: its own", { hints: { ...writer, agent: "ada" } }, [COUNTER, 100, "own"]],
    ["assigned: its own", { hints: writer, assignedTo: "ada" }, [COUNTER, 100, "own"]],
    [
      "in another role: its own",
      { hints: { role: "reader" }, about: { roleBindings: { reader: "ada" } } },
      [COUNTER, 100, "own"],
    ],
  ])("%s", (_, asked, ceiling) => {
    expect(ceilingOf(asked)).toEqual(ceiling);
  });

  it("is the bound also of an agent that has none, and none without a bound", () => {
    expect(ceilingOf({ hints: writer }, null)).toEqual([COUNTER, 20, "here"]);
    expect(ceilingOf({ hints: { ...writer, agent: "ada" } }, null)).toBeNull();
    expect(ceilingOf({ hints: writer }, null, [bound("b", null, null)])).toBeNull();
  });
});

describe("an agent deployed on several gateways", () => {
  const gateway = (id: string, parts: Partial<GatewayView> = {}): GatewayView => ({
    ...LOCAL,
    id,
    isLocal: false,
    ...parts,
  });
  const at = (id: string, parts: Partial<Deployment> = {}): Deployment => ({
    id: `d-${id}`,
    workflow: null,
    agent: "ada",
    version: null,
    gateway: id,
    roleBindings: {},
    environment: `env-${id}`,
    isActive: true,
    ...parts,
  });
  const taken = (
    deployments: readonly Deployment[],
    gateways: readonly GatewayView[],
    about: Partial<AboutRun> = {},
  ) => {
    const registered = registeredWith({ deployments }, [agent("ada")]);
    const { facts, route } = gather({ hints: { agent: "ada" }, registered, gateways, about });
    const losers = route.losers.map(({ gatewayId, reason }) => `${gatewayId} ${reason}`);
    return [facts.gateway?.id ?? facts.noGateway, facts.run.environment, ...losers];
  };
  const all = [gateway("a"), gateway("b"), gateway("c")];

  it("works at one of them and nowhere else, by their rank and not by which was registered first", () => {
    expect(taken([at("b"), at("c")], all)).toEqual(["b", "env-b", "a not_deployed", "c order"]);
    const expensive = [gateway("a"), gateway("b", { costRank: 5 }), gateway("c")];
    expect(taken([at("b"), at("c")], expensive)).toEqual(["c", "env-c", "a not_deployed", "b cost"]);
    const ill = [gateway("a", { isDefault: true }), gateway("b", { status: "degraded" }), gateway("c")];
    expect(taken([at("b"), at("c")], ill)).toEqual(["c", "env-c", "a not_deployed", "b health"]);
    expect(taken([at("b"), at("c", { isActive: false })], all)).toEqual(["b", "env-b", "a not_pinned", "c not_pinned"]);
  });

  it("goes where the run or its workflow is pinned instead", () => {
    expect(taken([at("b"), at("c")], all, { gateway: "a" })[0]).toBe("a");
    const ofWorkflow = at("a", { workflow: "w", agent: null });
    expect(taken([at("b"), at("c"), ofWorkflow], all).slice(0, 2)).toEqual(["a", "env-a"]);
  });

  it("is refused where none of them is up", () => {
    const down = [gateway("a"), gateway("b", { status: "offline" }), gateway("c", { status: "offline" })];
    expect(taken([at("b"), at("c")], down)[0]).toBe("b, c are offline; start one of their Bridges");
    expect(taken([at("x"), at("y")], all)[0]).toContain("where the agent is deployed (x, y)");
  });
});

describe("a run that is pinned", () => {
  const there: GatewayView = { ...LOCAL, id: "there", isLocal: false };
  const gone: GatewayView = { ...there, status: "offline" };
  const placement = { gateway: "there", from: "deployment", environment: "prod" } as const;
  const moved = registeredWith({
    deployments: [
      {
        id: "d",
        workflow: "w",
        agent: null,
        version: null,
        gateway: "local",
        roleBindings: { editor: "ben" },
        environment: "other",
        isActive: true,
      },
    ],
    bindings: [{ id: "b", role: "editor", agent: "cy", workflow: null, maxSpendMicros: null }],
  });

  it("goes where it was deployed when it started, in that environment and by those roles", () => {
    const about = { placement: { ...placement, roleBindings: { editor: "ann" } } };
    const { facts } = gather({ about, registered: moved, gateways: [LOCAL, there], hints: { role: "editor" } });
    expect(facts).toMatchObject({ agentId: "ann", gateway: { id: "there" }, run: { environment: "prod" } });
    const unbound = gather({ about: { placement: {} }, registered: moved, hints: { role: "editor" } });
    expect(unbound.facts).toMatchObject({ agentId: "default", run: { environment: "test" } });
  });

  it("does not go elsewhere when its gateway is gone, unless the workflow has gateway: any", () => {
    const any = planOf("name: w\ngateway: any\nsteps: [{ id: a, command: go }]\n");
    for (const gateways of [[LOCAL], [LOCAL, gone]]) {
      expect(gather({ about: { placement }, gateways }).facts).toMatchObject({ gateway: null });
      const { route, facts } = gather({ about: { placement, plan: any }, gateways });
      expect(route).toMatchObject({ kind: "found", reroutedFrom: "there" });
      expect(facts).toMatchObject({ gateway: { id: "local" } });
    }
  });

  it("keeps its agents where they were deployed", () => {
    const agents = [{ agent: "default", gateway: "there" }];
    const gateways = [{ ...LOCAL, isDefault: true }, there];
    expect(gather({ about: { placement: { agents } }, gateways }).facts.gateway?.id).toBe("there");
  });
});

describe("what an adapter lets see of turns", () => {
  const gateways = [{ ...LOCAL, turns: { scripted: "durable" } }];

  it("is what its gateway reports, and nothing otherwise", () => {
    expect(gather({ gateways }).facts.turns).toBe("durable");
    expect(gather({ gateways, hints: { provider: "openai" } }).facts.turns).toBe("opaque");
    expect(gather().facts.turns).toBe("opaque");
    const any = { ...LOCAL, providers: ["openai"], answersAny: true, turns: { scripted: "durable" } };
    expect(gather({ gateways: [any], hints: { provider: "openai" } }).facts.turns).toBe("durable");
  });

  it("is all there is to see where the node itself is the call, or is a script", () => {
    for (const provider of ["http", "mcp", "process"])
      expect(gather({ gateways, hints: { provider } }).facts.turns).toBe("judged");
    const plan = planOf("name: w\nsteps: [{ id: a, script: 'return 1;' }]\n");
    expect(gather({ gateways, about: { plan }, hints: { provider: "script" } }).facts.turns).toBe("judged");
    expect(gather({ gateways, hints: { provider: "openclaw" } }).facts.turns).toBe("opaque");
  });

  it("makes an author's estimate the least that is reserved, and not the most", () => {
    const model = {
      id: "scripted:m",
      inputMicrosPerMtok: 0,
      outputMicrosPerMtok: 1_000_000,
      cachedMicrosPerMtok: null,
    };
    const registered = registeredWith({ models: new Map([[model.id, { ...model, maxOutputTokens: 500 }]]) });
    const estimate = (estimatedCostMicros: number, at = gateways) =>
      gather({ gateways: at, registered, hints: { provider: "scripted", model: "m", estimatedCostMicros } }).facts
        .estimateMicros;
    expect([estimate(400), estimate(600)]).toEqual([500, 600]);
    expect(estimate(400, [{ ...LOCAL, turns: { scripted: "opaque" } }])).toBe(400);
  });

  it("reserves for a turn that continues what its next round reads and may answer, as its rounds do", () => {
    const model = {
      id: "scripted:m",
      inputMicrosPerMtok: 1_000_000,
      outputMicrosPerMtok: 1_000_000,
      cachedMicrosPerMtok: null,
    };
    const registered = registeredWith({ models: new Map([[model.id, { ...model, maxOutputTokens: 500 }]]) });
    const hints = { provider: "scripted", model: "m", estimatedCostMicros: 9_999 };
    const { facts, call } = gather({ gateways, registered, hints, contextTokens: 2_000 });
    expect(facts.estimateMicros).toBe(2_500);
    expect(maxOutputTokensFor(call, 2_100)).toBe(100);
  });
});

describe("the price of a call", () => {
  const own: ModelPrice = {
    id: "openai:house-model",
    inputMicrosPerMtok: 1_000_000,
    outputMicrosPerMtok: 2_000_000,
    cachedMicrosPerMtok: null,
    maxOutputTokens: 1_000,
  };
  const registered = registeredWith({ models: new Map([[own.id, own]]) });
  const priceOf = (model: string | null, provider: string | null = "openai") =>
    gather({ hints: { provider, model }, registered }).call.price;

  it("is the operator's own, by exact id, with or without its vendor", () => {
    expect(priceOf("house-model")).toEqual(own);
    expect(priceOf("openai:house-model")).toEqual(own);
    expect(priceOf("house-mode")).toBeNull();
    expect(priceOf("house-model-2")).toBeNull();
    expect(priceOf("constructor")).toBeNull();
  });

  it("is otherwise the bundled one, at its dearest", () => {
    const found = findPrice("openai", "gpt-4o", { atMs: AT });
    expect(found).toBeDefined();
    expect(priceOf("gpt-4o")).toMatchObject({
      id: found?.priceId,
      inputMicrosPerMtok: Math.max(found?.input.base ?? 0, ...(found?.input.tiers ?? []).map(({ rate }) => rate)) * 1e6,
    });
  });

  it("is not asked for where nothing is billed by token", () => {
    const { facts, call } = gather({ hints: { provider: "scripted", model: "gpt-4o" }, registered });
    expect([call.price, call.isPriced, facts.estimateMicros]).toEqual([null, false, 0]);
  });

  it("is that of the model the adapter calls when none is named, and its operator's before the list's", () => {
    const prices = { "house:m": { input_usd_per_mtok: 3, output_usd_per_mtok: 4 } };
    const models = { "ai-sdk": { defaultModel: "house:m", prices } };
    const gateways = [{ ...LOCAL, providers: ["ai-sdk"], defaultProvider: "ai-sdk", models }];
    const unnamed = gather({ hints: { provider: "ai-sdk", model: null }, gateways });
    expect([unnamed.model, unnamed.facts.node.model, unnamed.call.price?.id]).toEqual([
      "house:m",
      "house:m",
      "own/house:m",
    ]);
    expect(unnamed.call.price?.inputMicrosPerMtok).toBe(3_000_000);
    expect(gather({ hints: { provider: "ai-sdk", model: "openai:gpt-4o" }, gateways }).model).toBe("openai:gpt-4o");
    const own = registeredWith({
      models: new Map([
        [
          "house:m",
          {
            id: "house:m",
            inputMicrosPerMtok: 7,
            outputMicrosPerMtok: 7,
            cachedMicrosPerMtok: null,
            maxOutputTokens: null,
          },
        ],
      ]),
    });
    expect(gather({ hints: { provider: "ai-sdk", model: null }, gateways, registered: own }).call.price?.id).toBe(
      "house:m",
    );
  });

  it("that is unknown leaves the estimate unknown, unless the author gave one", () => {
    expect(gather({ hints: { provider: "openai", model: "missing" } }).facts.estimateMicros).toBeNull();
    const estimated = { provider: "openai", model: "missing", estimatedCostMicros: 70 };
    expect(gather({ hints: estimated }).facts.estimateMicros).toBe(70);
  });
});

describe("the envelopes that apply", () => {
  const budget = (id: string, scope: Budget["scope"], scopeId: string | null, parts: Partial<Budget> = {}): Budget => ({
    id,
    scope,
    scopeId,
    period: "daily",
    amountMicros: 100,
    isEnabled: true,
    alertAt: [],
    onExhausted: "block",
    ...parts,
  });
  const budgets = [
    budget("all", "global", null),
    budget("off", "global", null, { isEnabled: false }),
    budget("here", "gateway", "local"),
    budget("there", "gateway", "other"),
    budget("mine", "agent", "default"),
    budget("theirs", "agent", "other"),
    budget("any-workflow", "workflow", null, { period: "monthly" }),
  ];
  const tally = new Tally();
  tally.load({
    agents: [],
    envelopes: [
      { envelopeId: "all", periodStart: DAY, spent: 5, reserved: 6 },
      { envelopeId: "all", periodStart: DAY - 86_400_000, spent: 99, reserved: 0 },
      { envelopeId: "any-workflow", periodStart: MONTH, spent: 7, reserved: 0 },
      { envelopeId: "agent/default/monthly", periodStart: MONTH, spent: 8, reserved: 1 },
    ],
  });
  const registered = registeredWith({ budgets }, [agent("default", { budgetMonthlyMicros: 1_000 })]);

  it("are those of its gateway, agent and workflow, as they stand in the present period", () => {
    const { facts } = gather({ registered, tally });
    expect(facts.envelopes.map(({ id, spentMicros, reservedMicros }) => [id, spentMicros, reservedMicros])).toEqual([
      ["all", 5, 6],
      ["here", 0, 0],
      ["mine", 0, 0],
      ["any-workflow", 7, 0],
    ]);
    expect(facts.agentBudget).toMatchObject({ ceilingMicros: 1_000, spentMicros: 8, reservedMicros: 1 });
  });

  it("have in them what the run itself books in the same commit", () => {
    const returned = {
      slotsOf: (agentId: string) => (agentId === "default" ? 2 : 0),
      spendingOf: (envelopeId: string, periodStart: number) =>
        envelopeId === "all" && periodStart === DAY
          ? { spentMicros: 50, reservedMicros: -6 }
          : { spentMicros: 0, reservedMicros: 0 },
      memoriesOf: () => [],
    };
    const busy = new Tally();
    busy.load({ agents: [{ agentId: "default", open: 5, hits: [] }], envelopes: [] });
    const { facts } = gather({ registered, tally: busy, about: { returned } });
    expect(facts.openAttempts).toBe(3);
    expect(facts.envelopes[0]).toMatchObject({ id: "all", spentMicros: 50, reservedMicros: -6 });
  });
});

describe("what limits read", () => {
  it("is how many wait before it, and which window they leave", () => {
    const waiting = new WaitingRoom();
    for (const nodeId of ["x", "y"]) waiting.enter("default/default", { runId: "run_0", nodeId }, 0);
    const limited = agent("default", { rateLimit: { count: 3, perSeconds: 1 } });
    const tally = new Tally();
    tally.load({ agents: [{ agentId: "default", open: 1, hits: [{ at: AT - 400, count: 1 }] }], envelopes: [] });
    const { facts } = gather({ registered: registeredWith({}, [limited]), tally, waiting });
    expect(facts).toMatchObject({
      openAttempts: 1,
      waitingAhead: 2,
      rate: { count: 3, perSeconds: 1, used: 3, freesAt: AT + 600 },
    });
  });

  it("is pinned by the run before the deployment", () => {
    const deployment: Deployment = {
      id: "d",
      workflow: "w",
      agent: null,
      version: null,
      gateway: "elsewhere",
      roleBindings: {},
      environment: "prod",
      isActive: true,
    };
    const registered = registeredWith({ deployments: [deployment] });
    expect(gather({ registered }).facts.gateway).toBeNull();
    const { facts } = gather({ registered, about: { gateway: "local" } });
    expect([facts.gateway?.id, facts.run.environment]).toEqual(["local", "prod"]);
  });
});
