import { createHash } from "node:crypto";
import { CALLBACK_PATH, type CallbackBody, STREAM_PATH } from "../../bridge/index.ts";
import type { Clock } from "../../clock/index.ts";
import { type Dispatch, findNode, NO_TOKENS, type RunState, type Timer } from "../../core/engine/index.ts";
import {
  type GatewayDirectory,
  type Opened,
  RemoteDispatcher,
  type RemoteReport,
  type Tickets,
} from "../../gateway/index.ts";
import type { PeerAgent } from "../../outbound/index.ts";
import { dispatchRequest } from "../dispatch-request.ts";
import type { Told } from "../told.ts";
import type { LiveRun } from "./live-run.ts";
import type { Telling } from "./run-queue.ts";

/** What it takes to send attempts to other processes and to hear of them. */
export interface RemoteOptions {
  readonly directory: GatewayDirectory;
  readonly agent: PeerAgent;
  readonly tickets: Tickets;
  /** Where Bridges and services outside reach this installation; no slash at its end. */
  readonly publicUrl: () => string;
}

export interface RemoteAttemptsOptions extends RemoteOptions {
  readonly clock: Clock;
  readonly note: (runId: string, told: Told) => void;
  /** A result that was pulled goes the way of a callback. */
  readonly ended: (opened: Opened, body: CallbackBody) => void;
}

/** A service outside may answer for as long as its attempt lasts; one without a deadline has a week. */
const TICKET_MS_MAX = 7 * 24 * 3_600_000;

/** The attempts of this replica that run elsewhere. */
export class RemoteAttempts {
  readonly #options: RemoteAttemptsOptions;
  readonly #dispatcher: RemoteDispatcher;

  constructor(options: RemoteAttemptsOptions) {
    this.#options = options;
    const report: RemoteReport = {
      ended: (opened, body) => options.ended(opened, body),
      failed: ({ runId, nodeId, attempt }, errorCode, error) => {
        const result = { status: "failed", errorCode, error, tokens: NO_TOKENS, costMicros: 0 } as const;
        options.note(runId, { type: "callback", nodeId, attempt, result });
      },
      lost: ({ runId, nodeId, attempt }) =>
        options.note(runId, { type: "timer", timer: { kind: "lost", nodeId, attempt } }),
    };
    const { directory, agent, clock } = options;
    this.#dispatcher = new RemoteDispatcher({ directory, agent, clock, report });
  }

  get openCount(): number {
    return this.#dispatcher.openCount;
  }

  isOpen(dispatchId: string): boolean {
    return this.#dispatcher.isOpen(dispatchId);
  }

  forget(dispatchId: string): void {
    this.#dispatcher.forget(dispatchId);
  }

  close(): void {
    this.#dispatcher.close();
  }

  send(live: LiveRun, dispatch: Dispatch): void {
    const { state, run } = live;
    const { route, nodeId, attempt, dispatchId, timeoutMs, effects } = dispatch;
    const { tickets, publicUrl, clock } = this.#options;
    const base = publicUrl();
    const expiresAt = clock.now() + Math.min(timeoutMs ?? TICKET_MS_MAX, TICKET_MS_MAX);
    const ticket = tickets.write({ orgId: run.orgId, runId: run.runId, nodeId, attempt, expiresAt });
    this.#dispatcher.send({
      orgId: run.orgId,
      gatewayId: route.gatewayId ?? "",
      runId: run.runId,
      nodeId,
      attempt,
      dispatchId,
      effects,
      isSync: route.executionPath === "sync",
      body: {
        ...dispatchRequest(dispatch, state, route.provider ?? ""),
        callbackUrl: `${base}${CALLBACK_PATH}`,
        streamUrl: `${base}${STREAM_PATH}`,
        externalCallbackUrl: `${base}/api/v1/callbacks/${ticket}`,
        traceparent: `00-${run.traceId}-${spanIdOf(dispatchId)}-01`,
      },
    });
  }

  cancel({ state, run }: LiveRun, nodeId: string, attempt: number, dispatchId: string): void {
    const gatewayId = findNode(state, nodeId)?.routes[attempt - 1]?.gatewayId ?? null;
    if (gatewayId !== null) this.#dispatcher.cancel(run.orgId, gatewayId, dispatchId);
  }

  /**
   * The replica that held an attempt is gone. What runs elsewhere and may run only once is asked for first: the Bridge
   * knows it, whoever sent it. Everything else is told to the engine, which sends it again.
   */
  lostTelling(timer: Extract<Timer, { kind: "lost" }>): (live: LiveRun) => Telling {
    return ({ state, run }) => {
      const { nodeId, attempt } = timer;
      const route = findNode(state, nodeId)?.routes[attempt - 1];
      const isRemote = route !== undefined && isElsewhere(route.executionPath);
      if (!isRemote || effectsOf(state, nodeId) !== "at_most_once") return { told: { type: "timer", timer } };
      this.#dispatcher.adopt({
        orgId: run.orgId,
        gatewayId: route.gatewayId ?? "",
        runId: run.runId,
        nodeId,
        attempt,
        dispatchId: `${run.runId}/${nodeId}/${attempt}`,
        effects: "at_most_once",
      });
      return { told: null };
    };
  }
}

export function isElsewhere(executionPath: "edge" | "sync" | "async" | null): boolean {
  return executionPath === "async" || executionPath === "sync";
}

function effectsOf(state: RunState, nodeId: string): Dispatch["effects"] | undefined {
  const node = findNode(state, nodeId);
  return node === undefined ? undefined : state.plan.nodes[node.planIndex]?.effects;
}

const SPAN_ID_CHARACTERS = 16;

/** The span of an attempt follows from its id, so that every replica names it the same. */
function spanIdOf(dispatchId: string): string {
  return createHash("sha256").update(dispatchId, "utf8").digest("hex").slice(0, SPAN_ID_CHARACTERS);
}
