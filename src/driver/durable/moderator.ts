import {
  type CallbackResult,
  type Dispatch,
  NO_TOKENS,
  type RequestVerdict,
  type RunState,
  type StreamInput,
  type Verdict,
} from "../../core/engine/index.ts";
import type { ModerationMode } from "../../core/definition/index.ts";
import type { Plan } from "../../core/plan/index.ts";
import { moderatesInput, moderatesOutput, type NodeModeration, WithheldPartials } from "../moderation/index.ts";
import type { AttemptCallbacks } from "../adapter-pool.ts";
import type { DrivenRun } from "./driven-run.ts";

/** Moderates the texts sent to and received from an adapter, for nodes with moderation switched on. */
export class Moderator {
  readonly #moderation: NodeModeration;
  readonly #plans = new WeakMap<Plan, boolean>();
  readonly #stopped = new AbortController();

  constructor(moderation: NodeModeration) {
    this.#moderation = moderation;
  }

  /** Checks an input by the rules alone, before any gate runs. Undefined when it may pass. */
  before({ run }: DrivenRun, { nodeId, moderation: mode, request }: RequestVerdict): Verdict | undefined {
    if (!moderatesInput(mode)) return undefined;
    const { orgId, runId } = run;
    const judged = this.#moderation.inputNow(mode, { orgId, runId, nodeId }, request);
    return judged.allowed ? undefined : { disposition: "moderated", decision: { ...judged.decision } };
  }

  /** Asks the moderation service before a dispatch. Undefined when it need not be asked; resolves to null when the input may pass. */
  beforeSend({ run, state }: DrivenRun, { nodeId, request }: Dispatch): Promise<CallbackResult | null> | undefined {
    const mode = modeOf(state, nodeId);
    if (!this.#moderation.asksBeforeSend || !moderatesInput(mode)) return undefined;
    const node = { orgId: run.orgId, runId: run.runId, nodeId };
    return this.#moderation.inputBeforeSend(mode, node, request, this.#stopped.signal).then((judged) =>
      judged.allowed
        ? null
        : {
            status: "failed",
            errorCode: "moderation_blocked",
            error: `the input of ${nodeId} was refused by moderation`,
            moderation: { ...judged.decision },
            tokens: NO_TOKENS,
            costMicros: 0,
          },
    );
  }

  /** Wraps the callbacks of an attempt so that its reports are withheld until they are checked. */
  around(live: DrivenRun, nodeId: string, callbacks: AttemptCallbacks): AttemptCallbacks {
    if (!this.isChecked(live.state, nodeId)) return callbacks;
    const withheld = new WithheldPartials();
    return {
      stream: (deltas) => withheld.add(deltas),
      answered: () => callbacks.answered(),
      turn: callbacks.turn,
      callback: (result, outcome) => {
        void this.check(live, nodeId, result).then((checked) => {
          if (checked === result && result.status === "completed") replayDeltas(withheld.release(), callbacks);
          else if (result.status !== "deferred") withheld.drop();
          // A refused result is not stored, and neither is the outcome that came with it.
          callbacks.callback(checked, checked === result ? outcome : null);
        });
      },
    };
  }

  isChecked({ plan }: RunState, nodeId: string): boolean {
    let isAnywhere = this.#plans.get(plan);
    if (isAnywhere === undefined) {
      isAnywhere = plan.nodes.some(({ body }) => body.kind === "lens" && body.moderation !== "off");
      this.#plans.set(plan, isAnywhere);
    }
    return isAnywhere && moderatesOutput(modeIn(plan, nodeId));
  }

  /** Resolves to the identical result object when it may pass. */
  check({ run, state }: DrivenRun, nodeId: string, result: CallbackResult): Promise<CallbackResult> {
    const node = { orgId: run.orgId, runId: run.runId, nodeId };
    return this.#moderation.result(modeOf(state, nodeId), node, result, this.#stopped.signal);
  }

  close(): void {
    this.#stopped.abort();
  }
}

function replayDeltas(deltas: StreamInput["deltas"], callbacks: AttemptCallbacks): void {
  if (deltas.length > 0) callbacks.stream(deltas);
}

function modeOf({ plan }: RunState, nodeId: string): ModerationMode {
  return modeIn(plan, nodeId);
}

/** An instance has the moderation mode of its node. */
function modeIn(plan: Plan, nodeId: string): ModerationMode {
  const index = plan.indexById.get(nodeId.split("[", 1)[0] ?? nodeId);
  const body = index === undefined ? undefined : plan.nodes[index]?.body;
  return body?.kind === "lens" ? body.moderation : "off";
}
