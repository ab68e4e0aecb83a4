import type { JsonObject, Problem } from "../core/base/index.ts";
import { checkArgs } from "../core/definition/index.ts";
import type { Explanation } from "../core/governance/index.ts";
import type { Plan } from "../core/plan/index.ts";
import type { Runtime } from "../driver/index.ts";
import type { LaunchRuling, OpenedGovernance } from "../governance/index.ts";
import type { IdempotencyScope, RunRecord, Store, WorkflowRecord } from "../store/index.ts";
import type { Launcher, LaunchRefusal, LaunchResult, LaunchRequest } from "./launcher.ts";
import { gatherPins, keepPinned } from "./pinning.ts";

export interface RunLauncherOptions {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly governance: Pick<OpenedGovernance, "launches">;
}

const PLAIN_MAX = 2_000;

/** Asks for the version, the pins, the args and the gates, in this order, and then for the run. */
export class RunLauncher implements Launcher {
  readonly #options: RunLauncherOptions;
  /**
   * Texts that refer to nothing outside themselves, by organisation and hash, with their warnings: nothing has to be
   * looked up for them.
   */
  readonly #plain = new Map<string, readonly Problem[]>();

  constructor(options: RunLauncherOptions) {
    this.#options = options;
  }

  async launch(request: LaunchRequest): Promise<LaunchResult> {
    const before = await this.#repeated(request.idempotency);
    if (before !== undefined) return before;
    const { orgId, workflow: name, team = null } = request;
    const found = await this.#version(request);
    if (!found.ok) return refused(found.refusal);
    const { record, version, hash } = found;
    const pinning = await this.#pinned(orgId, hash, team);
    if (pinning.kind === "refused") return pinning;
    const { pinnedHash, warnings } = pinning;
    const plan = await this.#options.runtime.planOf(orgId, pinnedHash ?? hash);
    if (plan === undefined) return refuse("unknown_version", `Version ${version} can no longer be compiled.`);
    const args = argsFor(plan, request.args ?? {});
    if (!args.ok) return refused(args.refusal);
    const ruling = await this.#judge(request, record, version, args.args);
    if (ruling.refusal !== null) return refused(ruling.refusal);
    const started = await this.#start(request, ruling.ruling, {
      orgId,
      workflow: name,
      version,
      definitionHash: hash,
      pinnedHash,
      args: args.args,
    });
    return started.kind === "started" && warnings.length > 0 ? { ...started, warnings } : started;
  }

  /** What a run of this text needs besides it, found now and kept. */
  async #pinned(orgId: string, hash: string, team: string | null): Promise<Pinned | Refused> {
    const key = `${orgId}/${hash}`;
    const plain = team === null ? this.#plain.get(key) : undefined;
    if (plain !== undefined) return { kind: "pinned", pinnedHash: null, warnings: plain };
    const { store } = this.#options;
    const kept = await store.getDefinition(orgId, hash);
    if (kept === undefined) return refuse("unknown_version", "The text of this version is not there.");
    const pinning = await gatherPins(store, orgId, kept.source, team);
    if (!pinning.ok) {
      const { code, message, problems } = pinning;
      return refused({ code, message, ...(problems === undefined ? {} : { problems }) });
    }
    const { warnings } = pinning;
    const pinnedHash = await keepPinned(store, orgId, { source: kept.source, hash }, pinning.pins);
    if (team === null && pinnedHash === null) this.#rememberPlain(key, warnings);
    return { kind: "pinned", pinnedHash, warnings };
  }

  async #start(
    request: LaunchRequest,
    ruling: LaunchRuling,
    what: Pick<RunRecord, "orgId" | "workflow" | "version" | "definitionHash" | "pinnedHash" | "args">,
  ): Promise<LaunchResult> {
    try {
      const outcome = await this.#options.runtime.launch({
        ...what,
        trigger: request.trigger,
        startedBy: request.startedBy,
        model: request.model ?? null,
        gateway: request.gateway ?? null,
        roleBindings: request.roleBindings ?? {},
        team: request.team ?? null,
        recoveryMax: request.recovery?.max ?? null,
        ...(request.caller === undefined
          ? {}
          : { traceId: request.caller.traceId, parentSpanId: request.caller.spanId }),
        ...(request.idempotency === undefined ? {} : { idempotency: request.idempotency }),
      });
      if (outcome.kind !== "started") await ruling.giveBack();
      return outcome;
    } catch (error) {
      await ruling.giveBack();
      throw error;
    }
  }

  #rememberPlain(key: string, warnings: readonly Problem[]): void {
    if (this.#plain.size >= PLAIN_MAX) this.#plain.clear();
    this.#plain.set(key, warnings);
  }

  async #repeated(
    idempotency: (IdempotencyScope & { readonly bodyHash: string }) | undefined,
  ): Promise<LaunchResult | undefined> {
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

  async #version({ orgId, workflow: name, version }: LaunchRequest): Promise<FoundVersion> {
    const { store } = this.#options;
    const record = await store.getWorkflow(orgId, name);
    if (record === undefined) return missing("unknown_workflow", `There is no workflow "${name}".`);
    const { latest } = record;
    if (version === undefined) return { ok: true, record, version: latest.version, hash: latest.hash };
    const found = await store.getVersion(orgId, name, version);
    if (found !== undefined) return { ok: true, record, version, hash: found.hash };
    return missing("unknown_version", `"${name}" has no version ${version}; its newest is ${latest.version}.`);
  }

  async #judge(
    request: LaunchRequest,
    { status, posture }: WorkflowRecord,
    version: number,
    args: JsonObject,
  ): Promise<{ readonly ruling: LaunchRuling; readonly refusal: LaunchRefusal | null }> {
    const { orgId, workflow, gateway = null, model = null, roleBindings = {}, team = null, startedBy } = request;
    const ruling = await this.#options.governance.launches.judge(orgId, {
      workflow,
      status,
      posture,
      version,
      depth: 0,
      args,
      gateway,
      model,
      roleBindings,
      team,
      keyId: startedBy,
      by: request.by ?? startedBy,
      agentId: request.agentId ?? null,
    });
    const { judgement } = ruling;
    if (judgement.disposition !== "block") return { ruling, refusal: null };
    const { explanation, block } = judgement;
    return { ruling, refusal: refusalOf(explanation, block.until) };
  }
}

interface Pinned {
  readonly kind: "pinned";
  readonly pinnedHash: string | null;
  readonly warnings: readonly Problem[];
}

type Refused = Extract<LaunchResult, { kind: "refused" }>;

type FoundVersion =
  | { readonly ok: true; readonly record: WorkflowRecord; readonly version: number; readonly hash: string }
  | { readonly ok: false; readonly refusal: LaunchRefusal };

export function refusalOf(explanation: Explanation, until: number | undefined): LaunchRefusal {
  const { code, message } = explanation;
  return { code, message, explanation, ...(until === undefined ? {} : { until }) };
}

/** The args of a run, with their defaults; or everything that is wrong with them. */
export function argsFor(
  plan: Plan,
  given: JsonObject,
):
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly refusal: LaunchRefusal & { readonly problems: readonly Problem[] } } {
  const checked = checkArgs(plan.args, given);
  if (checked.ok) return { ok: true, args: checked.value };
  const problems = checked.failure;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  const message = `${problems[0]?.message ?? "The args do not fit."}${more}`;
  return { ok: false, refusal: { code: "invalid_args", message, problems } };
}

function missing(code: string, message: string): FoundVersion {
  return { ok: false, refusal: { code, message } };
}

function refused(refusal: LaunchRefusal): Refused {
  return { kind: "refused", refusal };
}

function refuse(code: string, message: string): Refused {
  return refused({ code, message });
}
