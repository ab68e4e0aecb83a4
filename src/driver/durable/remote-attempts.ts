import type { AdapterRequest, HandedSecret } from "../../adapter/index.ts";
import { CALLBACK_PATH, STREAM_PATH, TURN_PATH } from "../../bridge/index.ts";
import type { Clock } from "../../clock/index.ts";
import {
  openDispatchId,
  type Dispatch,
  findNode,
  guaranteeOf,
  isAttemptOpen,
  NO_TOKENS,
  type NodeState,
  type Timer,
} from "../../core/engine/index.ts";
import { filesIn } from "../../core/base/index.ts";
import { fileOutputs } from "../../core/outputs/index.ts";
import {
  type GatewayDirectory,
  type Opened,
  RemoteDispatcher,
  type RemoteReport,
  type Tickets,
} from "../../gateway/index.ts";
import type { PeerAgent } from "../../outbound/index.ts";
import { attemptSpanId, writeTraceparent } from "../../core/trace/index.ts";
import { dispatchRequest } from "../dispatch-request.ts";
import type { DrivenRun } from "./driven-run.ts";
import type { InputQueue, ResolvedInput } from "./input-queue.ts";
import type { ReportIntake } from "./report-intake.ts";
import type { RunCache } from "./run-cache.ts";

/** Dependencies for sending attempts to other processes and receiving their results. */
export interface RemoteOptions {
  readonly directory: GatewayDirectory;
  readonly agent: PeerAgent;
  readonly tickets: Tickets;
  /** Base URL under which Bridges and outside services reach this installation, without a trailing slash. */
  readonly publicUrl: () => string;
}

export interface RemoteAttemptsOptions extends RemoteOptions {
  readonly clock: Clock;
  readonly queue: Pick<InputQueue, "enqueue" | "submit">;
  readonly cache: Pick<RunCache, "dropIfStale">;
  readonly intake: Pick<ReportIntake, "report">;
  readonly onTrouble: (what: string, error: unknown) => void;
}

type LostTimer = Extract<Timer, { kind: "lost" }>;

/** Maximum lifetime of a ticket. An outside service may report for as long as its attempt lasts, but at most a week. */
const TICKET_MS_MAX = 7 * 24 * 3_600_000;

/** The attempts of this replica that run in other processes. */
export class RemoteAttempts {
  readonly #options: RemoteAttemptsOptions;
  readonly #dispatcher: RemoteDispatcher;

  constructor(options: RemoteAttemptsOptions) {
    this.#options = options;
    const report: RemoteReport = {
      hasProgress: (opened) => this.#hasProgress(opened),
      // A result pulled from a Bridge is processed like a callback. False when it could not be accepted now.
      ended: ({ orgId, gatewayId, ...address }, body) =>
        options.intake.report({ orgId, gatewayId }, address, body).then(
          () => true,
          (error: unknown) => {
            options.onTrouble(`a result of ${address.runId} that its Bridge holds was not taken`, error);
            return false;
          },
        ),
      failed: (
        { runId, nodeId, attempt, segment = 0 },
        { code: errorCode, message: error, isRetryable: retryable },
      ) => {
        const result = { status: "failed", errorCode, error, retryable, tokens: NO_TOKENS, costMicros: 0 } as const;
        options.queue.enqueue(runId, { type: "callback", nodeId, attempt, segment, result });
      },
      // The Bridge is not queried again. The reports so far show what the attempt was doing.
      lost: ({ runId, nodeId, attempt, segment = 0 }) =>
        options.queue.enqueue(runId, resolveLost({ kind: "lost", nodeId, attempt, segment })),
    };
    const { directory, agent, clock } = options;
    this.#dispatcher = new RemoteDispatcher({ directory, agent, clock, report });
  }

  /** Reads the newest state, which another replica may have committed. When it cannot be read, the Bridge is queried. */
  async #hasProgress({ runId, nodeId }: Opened): Promise<boolean> {
    const { queue, cache, onTrouble } = this.#options;
    let found = false;
    try {
      await cache.dropIfStale(runId);
      await queue.submit(runId, (live) => {
        const node = findNode(live.state, nodeId);
        found = node !== undefined && hasBegunTurn(node);
        return { input: null };
      });
    } catch (error) {
      onTrouble(`the progress of ${runId} could not be read`, error);
      return true;
    }
    return found;
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

  send(live: DrivenRun, dispatch: Dispatch, secrets: readonly HandedSecret[]): void {
    const { state, run } = live;
    const { route, nodeId, attempt, dispatchId, effects, isResend } = dispatch;
    const { directory, publicUrl } = this.#options;
    const base = directory.find(run.orgId, route.gatewayId ?? "")?.callbackBase ?? publicUrl();
    const request = dispatchRequest(dispatch, state, route.provider ?? "");
    this.#dispatcher.send({
      orgId: run.orgId,
      gatewayId: route.gatewayId ?? "",
      runId: run.runId,
      nodeId,
      attempt,
      segment: dispatch.segment,
      dispatchId,
      effects,
      isSync: route.executionPath === "sync",
      isResend,
      body: {
        ...request,
        callbackUrl: `${base}${CALLBACK_PATH}`,
        streamUrl: `${base}${STREAM_PATH}`,
        turnUrl: `${base}${TURN_PATH}`,
        externalCallbackUrl: this.externalUrl(live, dispatch),
        ...this.#filesUrl(live, dispatch, base, request),
        traceparent: traceparentOf(live, dispatchId),
        ...(secrets.length === 0 ? {} : { secrets: [...secrets] }),
      },
    });
  }

  /** URL where the Bridge reads and writes files during the attempt. Only present when the attempt may have files. */
  #filesUrl(
    { run }: DrivenRun,
    { nodeId, attempt, timeoutMs }: Dispatch,
    base: string,
    { inputs, outputSchema }: AdapterRequest,
  ): Pick<AdapterRequest, "filesUrl"> {
    if (filesIn(inputs).length === 0 && fileOutputs(outputSchema).length === 0) return {};
    const { tickets, clock } = this.#options;
    const expiresAt = clock.now() + Math.min(timeoutMs ?? TICKET_MS_MAX, TICKET_MS_MAX);
    const ticket = tickets.write({ orgId: run.orgId, runId: run.runId, nodeId, attempt, expiresAt }, "files");
    return { filesUrl: `${base}/api/v1/attempt-files/${ticket}` };
  }

  /** URL where an outside service may report the result, once, while the attempt lasts. */
  externalUrl({ run }: DrivenRun, { nodeId, attempt, timeoutMs }: Dispatch): string {
    const { tickets, publicUrl, clock } = this.#options;
    const expiresAt = clock.now() + Math.min(timeoutMs ?? TICKET_MS_MAX, TICKET_MS_MAX);
    const ticket = tickets.write({ orgId: run.orgId, runId: run.runId, nodeId, attempt, expiresAt });
    return `${publicUrl()}/api/v1/callbacks/${ticket}`;
  }

  cancel({ state, run }: DrivenRun, nodeId: string, attempt: number, dispatchId: string): void {
    const route = findNode(state, nodeId)?.routes[attempt - 1];
    if (route === undefined || route.gatewayId === null || !isElsewhere(route.executionPath)) return;
    this.#dispatcher.cancel(run.orgId, route.gatewayId, dispatchId);
  }

  cancelRun(runId: string): void {
    this.#dispatcher.cancelRun(runId);
  }

  /** Queries the Bridge about an attempt, whichever replica sent it. False when the attempt does not run in another process. */
  adopt({ state, run }: DrivenRun, { nodeId, attempt }: LostTimer): boolean {
    const node = findNode(state, nodeId);
    const route = node?.routes[attempt - 1];
    if (node === undefined || route === undefined || !isElsewhere(route.executionPath)) return false;
    const { now } = node;
    this.#dispatcher.adopt({
      orgId: run.orgId,
      gatewayId: route.gatewayId ?? "",
      runId: run.runId,
      nodeId,
      attempt,
      segment: "segment" in now ? now.segment : 0,
      dispatchId: openDispatchId(state, { nodeId, attempt }),
      effects: "at_most_once",
    });
    return true;
  }
}

/**
 * Decides the input a run receives when no process holds one of its attempts any more. Deferred work continues outside.
 * For an attempt that may run only once, its Bridge is queried first if possible. Every other attempt goes to the
 * engine, which sends it again.
 */
export function resolveLost(
  timer: LostTimer,
  adopt: (live: DrivenRun) => boolean = () => false,
): (live: DrivenRun) => ResolvedInput {
  return (live) => {
    const { nodeId, attempt } = timer;
    const node = findNode(live.state, nodeId);
    if (node === undefined || !isAttemptOpen(live.state, node, attempt)) return { input: null };
    if ("isDeferred" in node.now && node.now.isDeferred) return { input: null };
    const isOnce = guaranteeOf(live.state, node) === "at_most_once";
    // An agent that may still be working must not be started a second time.
    return (isOnce || hasBegunTurn(node)) && adopt(live) ? { input: null } : { input: { type: "timer", timer } };
  };
}

function hasBegunTurn({ turn }: NodeState): boolean {
  return turn !== null && turn.rounds.length + turn.calls.size > 0;
}

export function isElsewhere(executionPath: "edge" | "sync" | "async" | null): boolean {
  return executionPath === "async" || executionPath === "sync";
}

/** The span id of an attempt is derived from its dispatch id, so that every replica uses the same one. */
export function traceparentOf({ run }: DrivenRun, dispatchId: string): string {
  return writeTraceparent({ traceId: run.traceId, spanId: attemptSpanId(dispatchId) });
}
