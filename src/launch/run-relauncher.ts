import type { JsonObject } from "../core/base/index.ts";
import { branchWith, type Carried, findNode, type Refusal, type RunState } from "../core/engine/index.ts";
import { isTerminal } from "../core/event/index.ts";
import type { Launch } from "../driver/index.ts";
import type { RunRecord } from "../store/index.ts";
import { Admission, type AdmissionOptions, type Candidate, refuse, refused } from "./admission.ts";
import { takeInputs } from "./inputs-from.ts";
import type {
  BranchFrom,
  KeptNodes,
  LaunchCaller,
  LaunchRefusal,
  LaunchResult,
  Relauncher,
  RelaunchRequest,
  RestartFrom,
} from "./launcher.ts";
import { argsFor } from "./run-launcher.ts";

/** The differences between the new run and its source. */
interface Changes {
  readonly args: JsonObject;
  readonly more: Pick<Launch, "source" | "inputsFrom">;
}

type Prepared =
  | { readonly ok: true; readonly changes: Changes }
  | { readonly ok: false; readonly refusal: LaunchRefusal };

/** Statuses whose results are kept. Open blocks and continued turns run again, from their current state. */
const KEPT: ReadonlySet<Carried["status"]> = new Set(["completed", "skipped"]);

/** Relaunches runs. Version and pins are those of the source run, args may differ, and the gates are asked as for every launch. */
export class RunRelauncher implements Relauncher {
  readonly #options: AdmissionOptions;
  readonly #admission: Admission;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#admission = new Admission(options);
  }

  async relaunch(request: RelaunchRequest): Promise<LaunchResult> {
    const { run, from, idempotency } = request;
    const before = await this.#admission.repeated(idempotency);
    if (before !== undefined) return before;
    const prepared = await this.#prepare(request);
    if (!prepared.ok) return refused(prepared.refusal);
    const { args, more } = prepared.changes;
    const view = await this.#options.runtime.stateOf(run.orgId, run.runId);
    const candidate = await this.#candidate({ ...run, args, ...named(run, view?.state) }, request, from.kind);
    const result = await this.#admission.start(candidate, {
      definitionHash: run.definitionHash,
      pinnedHash: run.pinnedHash,
      recoveryMax: run.recoveryMax,
      priority: run.priority,
      trigger: from.kind,
      labels: from.kind === "restart" ? run.labels : labelsBeside(run, view?.state),
      ...more,
      ...limitOf(view?.state),
      ...(idempotency === undefined ? {} : { idempotency }),
    });
    return result.kind === "refused" ? refused(withPlaces(result.refusal)) : result;
  }

  async previewBranch(run: RunRecord, from: BranchFrom): Promise<KeptNodes | { readonly refusal: LaunchRefusal }> {
    const prepared = await this.#branch(run, from);
    if (!prepared.ok) return prepared;
    const view = await this.#options.runtime.stateAt(run.orgId, run.runId, from.eventId);
    if (view === undefined || view === null) return refuse("unknown_run", `There is no run "${run.runId}".`);
    const branched = branchWith(view.state, prepared.changes.args, from.edits);
    if ("refusal" in branched) return refused(withPlaces(branched.refusal));
    const kept = branched.carried.filter(({ status }) => KEPT.has(status));
    const carriedOver = kept.map(({ nodeId }) => nodeId);
    const runsAgain = view.state.plan.nodes.map(({ id }) => id).filter((id) => !carriedOver.includes(id));
    return { carriedOver, runsAgain };
  }

  async refuseRecovery(run: RunRecord, caller: LaunchCaller): Promise<LaunchRefusal | null> {
    return (await this.#admission.judge(await this.#candidate(run, caller, "recovery"))).refusal;
  }

  #prepare({ run, from, by, startedBy }: RelaunchRequest): Promise<Prepared> | Prepared {
    if (from.kind === "restart") return this.#restart(run, from);
    const person = by ?? startedBy;
    if (!("turn" in from)) return this.#branch(run, from, person);
    const source = { runId: run.runId, kind: "branch", turn: { ...from.turn, by: person } } as const;
    return { ok: true, changes: { args: run.args, more: { source } } };
  }

  async #restart(run: RunRecord, { fromNode }: RestartFrom): Promise<Prepared> {
    if (!isTerminal(run.status)) {
      return refuseChanges("run_not_finished", `The run is ${run.status}; cancel it first, or rewind it.`);
    }
    const view = fromNode === undefined ? undefined : await this.#options.runtime.stateOf(run.orgId, run.runId);
    if (fromNode !== undefined && (view === undefined || findNode(view.state, fromNode) === undefined)) {
      return refuseChanges("unknown_node", `The run has no node "${fromNode}".`);
    }
    const source = { runId: run.runId, kind: "restart", ...(fromNode === undefined ? {} : { fromNode }) } as const;
    return { ok: true, changes: { args: run.args, more: { source } } };
  }

  async #branch(run: RunRecord, from: BranchFrom, by?: string): Promise<Prepared> {
    const { eventId, args = {}, inputsFrom = {}, edits = {} } = from;
    const { orgId, runId, lastEventId } = run;
    const { runtime } = this.#options;
    if (eventId > lastEventId) {
      return refuseChanges("cursor_ahead", `Event ${eventId} is not in the log, which ends at ${lastEventId}.`);
    }
    const taken = await takeInputs(runtime, orgId, inputsFrom, args);
    if (!taken.ok) return taken;
    const merged = { ...run.args, ...args, ...taken.args };
    const plan = await runtime.planOf(orgId, run.pinnedHash ?? run.definitionHash);
    const checked = plan === undefined ? ({ ok: true, args: merged } as const) : argsFor(plan, merged);
    if (!checked.ok) return checked;
    const source = {
      runId,
      kind: "branch",
      eventId,
      edits: { ...edits, ...(by === undefined ? {} : { by }) },
    } as const;
    const more = { source, ...(Object.keys(inputsFrom).length === 0 ? {} : { inputsFrom }) };
    return { ok: true, changes: { args: checked.args, more } };
  }

  async #candidate(run: RunRecord, { startedBy, by, agentId }: LaunchCaller, what: string): Promise<Candidate> {
    const { orgId, workflow, version, args, model, gateway, roleBindings, team, recursionDepth: depth } = run;
    const record = await this.#options.store.getWorkflow(orgId, workflow);
    const caller = { startedBy, ...(by === undefined ? {} : { by }), ...(agentId === undefined ? {} : { agentId }) };
    const purpose = `${what} of ${run.runId}`;
    return { orgId, workflow, version, args, model, gateway, roleBindings, team, caller, record, depth, purpose };
  }
}

/**
 * Returns the gateway and roles that the starter of the run had named. Those from deployments and bindings are resolved
 * again, so the new run may be placed elsewhere.
 */
function named(
  { gateway, roleBindings }: RunRecord,
  state: RunState | undefined,
): Pick<RunRecord, "gateway" | "roleBindings"> {
  const placement = state?.placement ?? null;
  if (placement === null) return { gateway, roleBindings };
  return { gateway: placement.named?.gateway ?? null, roleBindings: placement.named?.roleBindings ?? {} };
}

/** Returns the labels from the starter. Labels that the workflow declares are computed again, because args may differ. */
function labelsBeside({ labels }: RunRecord, state: RunState | undefined): RunRecord["labels"] {
  const written = state?.plan.labels ?? {};
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !Object.hasOwn(written, name)));
}

/** Returns the trigger's limit on open runs, which applies to the new run under the same key. */
function limitOf(state: RunState | undefined): Pick<Launch, "limit"> {
  const place = state?.place ?? null;
  return place?.rule === undefined ? {} : { limit: { key: place.key, ...place.rule } };
}

/** Adds the problems with edited values, one for each place. */
function withPlaces(refusal: LaunchRefusal & Pick<Refusal, "errors">): LaunchRefusal {
  const { errors = [], ...rest } = refusal;
  if (errors.length === 0) return rest;
  const problems = errors.map(({ field: path, message, hint }) => ({
    code: rest.code,
    message: `${path} ${message}`,
    path,
    ...(hint === undefined ? {} : { hint }),
  }));
  return { ...rest, problems };
}

function refuseChanges(code: string, message: string): Prepared {
  return { ok: false, refusal: refuse(code, message).refusal };
}
