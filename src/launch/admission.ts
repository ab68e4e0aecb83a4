import type { Explanation } from "../core/governance/index.ts";
import type { Launch, Runtime } from "../driver/index.ts";
import type { LaunchRuling, OpenedGovernance } from "../governance/index.ts";
import type { RunRecord, Store, WorkflowRecord } from "../store/index.ts";
import { refuseFiles } from "./file-args.ts";
import { launchFacts } from "./launch-facts.ts";
import type { LaunchCaller, LaunchIdempotency, LaunchRefusal, LaunchResult } from "./launcher.ts";

export interface AdmissionOptions {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly governance: Pick<OpenedGovernance, "launches">;
}

/** A launch with the data that the launch gates need. */
export interface Candidate extends Required<
  Pick<Launch, "orgId" | "workflow" | "version" | "args" | "model" | "gateway" | "roleBindings" | "team">
> {
  readonly caller: LaunchCaller;
  /** Undefined when its workflow is no longer stored. */
  readonly record: Pick<WorkflowRecord, "status" | "posture"> | undefined;
  readonly depth: number;
  /** Kind of launch, unless it is a plain start: `restart of run_1`. */
  readonly purpose?: string;
}

/** The last steps of every launch: checks that the files exist, asks the gates, and creates the run. */
export class Admission {
  readonly #options: AdmissionOptions;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Returns the run that the same request started before, or a refusal when another request used its key. */
  async repeated(idempotency: LaunchIdempotency | undefined): Promise<LaunchResult | undefined> {
    if (idempotency === undefined) return undefined;
    const { store } = this.#options;
    const found = await store.findIdempotent(idempotency);
    if (found === undefined) return undefined;
    if (found.bodyHash !== idempotency.bodyHash) {
      return refuse("idempotency_conflict", "The Idempotency-Key was used within a day for another body.");
    }
    const run = await store.getRun(idempotency.orgId, found.runId);
    return run === undefined ? undefined : { kind: "repeated", run };
  }

  /** Asks the launch gates. Every way of starting a run passes them. */
  async judge(
    candidate: Candidate,
  ): Promise<{ readonly ruling: LaunchRuling; readonly refusal: LaunchRefusal | null }> {
    const { orgId, version, model, roleBindings, caller, record, purpose } = candidate;
    const ruling = await this.#options.governance.launches.judge(orgId, {
      ...launchFacts(candidate, record),
      version,
      model,
      roleBindings,
      ...(purpose === undefined ? {} : { purpose }),
      keyId: caller.startedBy,
      by: byOf(caller),
      agentId: caller.agentId ?? null,
    });
    const { judgement } = ruling;
    if (judgement.disposition !== "block") return { ruling, refusal: null };
    return { ruling, refusal: refusalOf(judgement.explanation, judgement.block.until) };
  }

  /** Creates the run if the gates allow it. A used approval is given back when no new run is created. */
  async start(
    candidate: Candidate,
    rest: Pick<RunRecord, "definitionHash" | "pinnedHash"> & Pick<Launch, "trigger"> & Partial<Launch>,
  ): Promise<LaunchResult> {
    const missing = await refuseFiles(this.#options.store, candidate.orgId, candidate.args);
    if (missing !== null) return refused(missing);
    const { ruling, refusal } = await this.judge(candidate);
    if (refusal !== null) return refused(refusal);
    const { orgId, workflow, version, args, model, gateway, roleBindings, team, caller } = candidate;
    const what = { orgId, workflow, version, args, model, gateway, roleBindings, team };
    try {
      const outcome = await this.#options.runtime.launch({
        ...what,
        startedBy: caller.startedBy,
        by: byOf(caller),
        ...rest,
      });
      if (outcome.kind !== "started") await ruling.returnApproval();
      return outcome;
    } catch (error) {
      await ruling.returnApproval();
      throw error;
    }
  }
}

/** Name of the starter as people know it. */
function byOf({ by, startedBy }: LaunchCaller): string {
  return by ?? startedBy;
}

function refusalOf(explanation: Explanation, until: number | undefined): LaunchRefusal {
  const { code, message } = explanation;
  return { code, message, explanation, ...(until === undefined ? {} : { until }) };
}

export type RefusedLaunch = Extract<LaunchResult, { kind: "refused" }>;

export function refused(refusal: LaunchRefusal): RefusedLaunch {
  return { kind: "refused", refusal };
}

export function refuse(code: string, message: string): RefusedLaunch {
  return refused({ code, message });
}
