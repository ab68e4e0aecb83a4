import type { CallRuling, RoundReply, RoundReport, ToolAsk, ToolReport, TurnHooks } from "../../adapter/index.ts";
import type { Clock } from "../../clock/index.ts";
import type { Json } from "../../core/base/index.ts";
import {
  type AgentTurn,
  ARGS_CHANGED,
  billOf,
  callIdOf,
  findNode,
  isExecutionOpen,
  isSameCall,
  type NodeState,
  type RoundInput,
  type ToolCall,
  type UnstampedInput,
} from "../../core/engine/index.ts";
import type { AttemptAddress } from "../../core/event/index.ts";
import { repairText } from "../../core/text/index.ts";
import { rulingOf } from "../call-ruling.ts";
import { type ScriptTools, scriptCalls } from "./step-tools.ts";
import { type Reporter, reportedBy, submitUntilCurrent } from "./attempt-report.ts";
import type { DrivenRun } from "./driven-run.ts";
import type { InputQueue } from "./input-queue.ts";
import type { Listeners } from "./listeners.ts";
import type { RunCache } from "./run-cache.ts";

/** Thrown when the reporting execution should stop: its attempt has ended, or continues with another execution. */
export class AttemptOver extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface TurnIntakeOptions {
  readonly queue: InputQueue;
  readonly cache: RunCache;
  readonly clock: Clock;
  readonly listeners: Listeners;
  readonly scripts: ScriptTools;
}

/** Interval for checking whether another replica has committed the answer that an adapter waits for. */
const CHECK_AGAIN_MS = 2_000;

/** Accepts reports and tool calls from turns and answers once they are stored. A repeated report receives the same answer. */
export class TurnIntake {
  readonly #options: TurnIntakeOptions;

  constructor(options: TurnIntakeOptions) {
    this.#options = options;
  }

  /** `warnings`, here and below: notes on what was left out of the report, for the log of the node. */
  async round(
    reporter: Reporter,
    address: AttemptAddress,
    report: RoundReport,
    warnings: readonly string[] = [],
  ): Promise<RoundReply> {
    const { round, finish, text = "", message, calls = [], ...used } = report;
    const said = repairText({ text, message, calls } as unknown as Json).value as unknown as Pick<
      RoundInput,
      "text" | "message" | "calls"
    >;
    const input = {
      type: "round",
      ...executionOf(address),
      round,
      finish,
      ...said,
      ...billOf(used, warnings),
    } as const;
    const live = await this.#submit(reporter, address, input);
    const callIds = calls.map((_, position) => callIdIn(live, address, round, position));
    return replyTo(await this.#runScripts(reporter, address, live, callIds), address, round);
  }

  /** Submits a tool call. `waitMs`: how long to wait for a person's answer when the adapter cannot suspend; null after that. */
  async tool(
    reporter: Reporter,
    address: AttemptAddress,
    asked: ToolAsk,
    waitMs: number,
    warnings: readonly string[] = [],
  ): Promise<CallRuling | null> {
    const { callId, waits = false, ...call } = asked;
    const round = Number(callId.split("/").at(-2) ?? 0);
    const kept = repairText(call as unknown as Json).value as unknown as typeof call;
    const input = { type: "tool_call", ...executionOf(address), callId, round, call: kept, waits, warnings } as const;
    const until = this.#options.clock.now() + waitMs;
    for (;;) {
      const judged = await this.#submit(reporter, address, input);
      const live = await this.#runScripts(reporter, address, judged, [callId]);
      const known = requireCall(live, address, callId);
      if (!isSameCall(known, kept)) return { disposition: "deny", callId, ...ARGS_CHANGED };
      const ruling = rulingWithResult(known);
      if (ruling.disposition !== "suspend" || !waits) return ruling;
      const left = until - this.#options.clock.now();
      if (left <= 0) return null;
      await this.#nextCommit(address.runId, Math.min(left, CHECK_AGAIN_MS));
    }
  }

  async toolResult(
    reporter: Reporter,
    address: AttemptAddress,
    report: ToolReport,
    warnings: readonly string[] = [],
  ): Promise<void> {
    const { callId, result, isError = false, durationMs = 0 } = report;
    const kept = { result: repairText(result).value, isError, durationMs };
    await this.#submit(reporter, address, { type: "tool_result", ...executionOf(address), callId, ...kept, warnings });
  }

  /** The same operations for an adapter in this process, which waits without a time limit. */
  hooksFor(reporter: Reporter, address: AttemptAddress): TurnHooks {
    return {
      round: (report) => this.round(reporter, address, report),
      tool: async (asked) => {
        for (;;) {
          const ruling = await this.tool(reporter, address, asked, CHECK_AGAIN_MS);
          if (ruling !== null) return ruling;
        }
      },
      toolResult: (report) => this.toolResult(reporter, address, report),
    };
  }

  /** Runs the scripts that a step offers as tools, and stores their results before the adapter receives its answer. */
  async #runScripts(
    reporter: Reporter,
    address: AttemptAddress,
    live: DrivenRun,
    callIds: readonly string[],
  ): Promise<DrivenRun> {
    let newest = live;
    const node = findNode(live.state, address.nodeId);
    for (const call of node === undefined ? [] : scriptCalls(live.state, address.nodeId, callIds)) {
      if (node === undefined) break;
      const { result, isError } = await this.#options.scripts.run(live.state, node, call);
      const kept = repairText(result).value;
      const given = { callId: call.id, result: kept, isError, durationMs: 0 };
      newest = await this.#submit(reporter, address, { type: "tool_result", ...executionOf(address), ...given });
    }
    return newest;
  }

  async #submit(reporter: Reporter, address: AttemptAddress, input: UnstampedInput): Promise<DrivenRun> {
    const { queue, cache } = this.#options;
    queue.refuseWhenFull();
    let seen: DrivenRun | undefined;
    let refusal: { readonly code: string; readonly message: string } | undefined;
    const outcome = await submitUntilCurrent(
      (judged) => (live) => {
        const isKnown = reportedBy(live, reporter, address.nodeId, address.attempt) !== undefined;
        judged(isKnown ? "deduplicated" : "unknown");
        return { input: isKnown ? input : null };
      },
      async (resolve) => {
        const submitted = await queue.submit(address.runId, resolve);
        if (submitted.kind === "committed") {
          seen = submitted.live;
          ({ refusal } = submitted);
        }
        return submitted;
      },
      () => cache.dropIfStale(address.runId),
    );
    if (outcome === "unknown" || seen === undefined)
      throw new AttemptOver("unknown_dispatch", "There is no such dispatch.");
    if (refusal !== undefined) throw new AttemptOver(refusal.code, refusal.message);
    return seen;
  }

  #nextCommit(runId: string, withinMs: number): Promise<void> {
    const { clock, listeners } = this.#options;
    return new Promise((resolve) => {
      const done = (): void => {
        stopTimer();
        stopListening();
        resolve();
      };
      const stopTimer = clock.after(withinMs, done);
      const stopListening = listeners.add((committed) => {
        if (committed === runId) done();
      });
    });
  }
}

function executionOf({ nodeId, attempt, segment = 0 }: AttemptAddress) {
  return { nodeId, attempt, segment };
}

function turnOf(live: DrivenRun, address: AttemptAddress): { readonly node: NodeState; readonly turn: AgentTurn } {
  const node = findNode(live.state, address.nodeId);
  if (node?.turn === undefined || node.turn === null) throw over(address);
  return { node, turn: node.turn };
}

function over({ nodeId }: AttemptAddress): AttemptOver {
  return new AttemptOver("attempt_over", `${nodeId} does not run any more, or continues in another execution.`);
}

/** Builds the reply to a round from the decision made when it was first reported, however often the round is reported. */
function replyTo(live: DrivenRun, address: AttemptAddress, round: number): RoundReply {
  const { node, turn } = turnOf(live, address);
  const { now } = node;
  if (now.status === "blocked" && turn.segment === (address.segment ?? 0) && now.errorCode !== null) {
    return { next: "stop", code: now.errorCode, reason: now.errorMessage ?? now.errorCode };
  }
  const reported = turn.rounds[round];
  if (reported === undefined || !isExecutionOpen(live.state, node, address)) throw over(address);
  const rulings = reported.calls.map((_, position) =>
    rulingWithResult(requireCall(live, address, callIdOf(live.state, node, round, position))),
  );
  return { next: "go", rulings };
}

function callIdIn(live: DrivenRun, address: AttemptAddress, round: number, position: number): string {
  const node = findNode(live.state, address.nodeId);
  return node === undefined ? "" : callIdOf(live.state, node, round, position);
}

/** Returns the ruling on a call, with its result if the call has already run. */
function rulingWithResult(call: ToolCall): CallRuling {
  const ruling = rulingOf(call);
  if (ruling.disposition !== "allow" || call.result === null) return ruling;
  return { ...ruling, result: { result: call.result.value, isError: call.result.isError } };
}

function requireCall(live: DrivenRun, address: AttemptAddress, callId: string): ToolCall {
  const call = turnOf(live, address).turn.calls.get(callId);
  if (call === undefined) throw over(address);
  return call;
}
