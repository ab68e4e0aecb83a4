import {
  advance,
  type Advance,
  type CallbackResult,
  createRunState,
  type Dispatch,
  type Effect,
  findNode,
  type Input,
  NO_TOKENS,
  replay,
  type RequestRoundVerdict,
  type RequestToolVerdict,
  type RequestVerdict,
  type RoundVerdict,
  type ToolVerdict,
  type RunState,
  type Timer,
  type UnstampedInput,
  type Verdict,
} from "../../src/core/engine/index.ts";
import type { Json, JsonObject } from "../../src/core/base/index.ts";
import { type Catalog, checkArgs, EMPTY_CATALOG } from "../../src/core/definition/index.ts";
import type { EventOf, EventType, RunEvent } from "../../src/core/event/index.ts";
import { applyTeam, checkSource, type Team } from "../../src/core/plan/index.ts";

const ALLOW_CALL: ToolVerdict = {
  disposition: "allow",
  verdictId: "v",
  action: "execute",
  effects: "at_least_once",
};

export const ALLOW: Verdict = {
  disposition: "allow",
  verdictId: "vrd_1",
  route: { agentId: "default", gatewayId: "local", provider: "scripted", model: null, executionPath: "edge" },
};

/** What the gates answer when the agent has no free slot. */
export const BUSY = {
  disposition: "block",
  verdictId: "vrd_1",
  gate: "concurrency",
  code: "agent_busy",
  message: "all slots are taken",
  after: "queue",
} as const satisfies Verdict;

/** What the gates answer when a policy wants an answer of any person. */
export const HOLD = {
  disposition: "hold",
  verdictId: "vrd_2",
  gate: "approval_required",
  message: "a policy wants an answer",
  agentId: null,
  policies: ["p@1"],
  rule: {
    approvers: [],
    otherwise: null,
    expiresMs: 1_000,
    isSeparate: false,
    quorum: 1,
    show: [],
    form: null,
    confirm: null,
  },
} as const satisfies Verdict;

export interface RigOptions {
  /** The registered agents. */
  readonly agents?: Input["agents"];
  /** The judge counts the nodes of blocks. */
  readonly countsBlocks?: boolean;
  readonly args?: JsonObject;
  readonly catalog?: Catalog;
  readonly team?: Team;
  /** Nothing: it is allowed. */
  readonly judge?: (request: RequestVerdict) => Verdict | undefined;
  /** Nothing: the next round may begin. */
  readonly judgeRound?: (request: RequestRoundVerdict) => RoundVerdict | undefined;
  /** Nothing: the call is allowed. */
  readonly judgeTool?: (request: RequestToolVerdict) => ToolVerdict | undefined;
}

/** Drives one run by hand: every answer, timer and decision is chosen by the test. */
export class Rig {
  readonly state: RunState;
  readonly events: RunEvent[] = [];
  readonly effects: Effect[] = [];
  now = 1_000_000;
  jitter = 0;
  private readonly options: RigOptions;
  private readonly args: JsonObject;

  constructor(source: string, options: RigOptions = {}) {
    const { plan, problems } = checkSource(source, options.catalog ?? EMPTY_CATALOG);
    if (plan === null)
      throw new Error(problems.map((problem) => `${problem.path}: ${problem.code} ${problem.message}`).join("\n"));
    const args = checkArgs(plan.args, options.args ?? {});
    if (!args.ok) throw new Error(args.failure.map((problem) => problem.message).join("\n"));
    this.args = args.value;
    this.options = options;
    this.state = createRunState(options.team === undefined ? plan : applyTeam(plan, options.team), "run_1");
  }

  submit(input: UnstampedInput): Advance {
    const result = advance(this.state, {
      at: this.now,
      jitter: this.jitter,
      agents: this.options.agents,
      countsBlocks: this.options.countsBlocks,
      ...input,
    });
    this.events.push(...result.events);
    this.effects.push(...result.effects);
    let { refusal } = result;
    for (const effect of result.effects) refusal ??= this.rule(effect)?.refusal;
    return refusal === undefined ? result : { ...result, refusal };
  }

  private rule(effect: Effect): Advance | undefined {
    const { judge, judgeRound, judgeTool } = this.options;
    switch (effect.type) {
      case "request-verdict": {
        const { nodeId, epoch } = effect;
        return this.submit({ type: "verdict", nodeId, epoch, verdict: judge?.(effect) ?? ALLOW });
      }
      case "request-round-verdict": {
        const { nodeId, epoch } = effect;
        return this.submit({
          type: "round_verdict",
          nodeId,
          epoch,
          verdict: judgeRound?.(effect) ?? { disposition: "go" },
        });
      }
      case "request-tool-verdict": {
        const { nodeId, epoch, callId } = effect;
        return this.submit({ type: "tool_verdict", nodeId, epoch, callId, verdict: judgeTool?.(effect) ?? ALLOW_CALL });
      }
      default:
        return undefined;
    }
  }

  start(more: Partial<Extract<Input, { type: "start" }>> = {}): this {
    const about = { workflow: "w", version: 1, hash: "h", trigger: "test", recursionDepth: 0 };
    this.submit({ type: "start", ...about, args: this.args, ...more });
    return this;
  }

  callback(nodeId: string, result: CallbackResult, attempt = this.node(nodeId).attempts): Advance {
    return this.submit({ type: "callback", nodeId, attempt, segment: this.node(nodeId).turn?.segment ?? 0, result });
  }

  complete(nodeId: string, answer: { outputs?: JsonObject; stdout?: string; costMicros?: number } = {}): this {
    this.callback(nodeId, {
      status: "completed",
      tokens: NO_TOKENS,
      costMicros: 0,
      stdout: `${nodeId} done`,
      ...answer,
    });
    return this;
  }

  fail(
    nodeId: string,
    errorCode = "provider_error",
    more: { retryAfterMs?: number; costMicros?: number; retryable?: boolean } = {},
  ): this {
    this.callback(nodeId, {
      status: "failed",
      tokens: NO_TOKENS,
      costMicros: 0,
      errorCode,
      error: "it broke",
      ...more,
    });
    return this;
  }

  /** Fires the newest timer of a kind that fits, at its due time. */
  fire(kind: Timer["kind"], subject?: string): this {
    const timers = this.effects.filter((effect) => effect.type === "set-timer");
    const fitting = timers.filter(
      ({ timer }) => timer.kind === kind && (subject === undefined || JSON.stringify(timer).includes(`"${subject}"`)),
    );
    const last = fitting.at(-1);
    if (last === undefined) throw new Error(`no ${kind} timer was set`);
    this.now = Math.max(this.now, last.dueAt);
    this.submit({ type: "timer", timer: last.timer });
    return this;
  }

  answer(nodeId: string, decision: "approve" | "reject" | "retry" | "skip" | "abort", more: object = {}): Advance {
    const reason = decision === "reject" ? { reason: "no" } : {};
    return this.submit({
      type: "approval",
      approvalId: this.approvalId(nodeId),
      decision,
      by: "user:ann",
      ...reason,
      ...more,
    });
  }

  approvalId(nodeId: string): string {
    const open = [...this.state.approvals.values()].filter((approval) => approval.nodeId === nodeId).at(-1);
    if (open === undefined) throw new Error(`${nodeId} has no approval`);
    return open.id;
  }

  node(nodeId: string) {
    const node = findNode(this.state, nodeId);
    if (node === undefined) throw new Error(`no node ${nodeId}`);
    return node;
  }

  status(nodeId: string): string {
    return this.node(nodeId).now.status;
  }

  get statuses(): Record<string, string> {
    return Object.fromEntries(this.state.nodes.map((node) => [node.id, node.now.status]));
  }

  outputs(nodeId: string): Json {
    const { now } = this.node(nodeId);
    return now.status === "completed" ? now.outputs : null;
  }

  error(nodeId: string): string | null {
    const { now } = this.node(nodeId);
    return "errorCode" in now ? now.errorCode : null;
  }

  get dispatches(): readonly Dispatch[] {
    return this.effects.filter((effect) => effect.type === "dispatch");
  }

  dispatch(nodeId: string): Dispatch {
    const sent = this.dispatches.filter((effect) => effect.nodeId === nodeId).at(-1);
    if (sent === undefined) throw new Error(`${nodeId} was not dispatched`);
    return sent;
  }

  of<T extends EventType>(type: T, nodeId?: string): EventOf<T>["payload"][] {
    const fitting = this.events.filter(
      (event) =>
        event.type === type && (nodeId === undefined || ("nodeId" in event.payload && event.payload.nodeId === nodeId)),
    );
    return fitting.map((event) => event.payload) as EventOf<T>["payload"][];
  }

  replayed(): RunState {
    return replay(this.state.plan, this.state.runId, this.events);
  }
}

export function runOf(source: string, options: RigOptions = {}): Rig {
  return new Rig(source, options).start();
}

/** A workflow from terse lines: `a`, `b < a`, `c < a b {on_failure: skip}`. */
export function workflow(lines: readonly string[], head = ""): string {
  const steps = lines.map((line) => {
    const [, id, parents = "", more = ""] = /^(\w+)(?:\s*<\s*([\w ]+?))?\s*(?:\{(.*)\})?$/u.exec(line) ?? [];
    const dependsOn = parents === "" ? "" : `, depends_on: [${parents.trim().split(/\s+/u).join(", ")}]`;
    const command = /\b(command|approval|workflow_ref|library_step|set|script|cancel|fail):/u.test(more)
      ? ""
      : `, command: "do ${id}"`;
    return `  - { id: ${id}${command}${dependsOn}${more === "" ? "" : `, ${more}`} }`;
  });
  return `name: w\n${head}${head === "" ? "" : "\n"}steps:\n${steps.join("\n")}\n`;
}
