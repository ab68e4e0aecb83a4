import type { JsonObject, Problem } from "../core/base/index.ts";
import { checkArgs } from "../core/definition/index.ts";
import type { Plan } from "../core/plan/index.ts";
import type { WorkflowRecord } from "../store/index.ts";
import { Admission, type AdmissionOptions, refuse, refused, type RefusedLaunch } from "./admission.ts";
import type { Launcher, LaunchRefusal, LaunchResult, LaunchRequest } from "./launcher.ts";
import { gatherPins, keepPinned } from "./pinning.ts";

export type RunLauncherOptions = AdmissionOptions;

const PLAIN_MAX = 2_000;

/** Starts runs: finds the version and the pins, checks the args, and asks the gates, in this order. */
export class RunLauncher implements Launcher {
  readonly #options: RunLauncherOptions;
  readonly #admission: Admission;
  /** Definitions without pins, by organisation and hash, with their warnings. Nothing has to be looked up for them. */
  readonly #plain = new Map<string, readonly Problem[]>();

  constructor(options: RunLauncherOptions) {
    this.#options = options;
    this.#admission = new Admission(options);
  }

  async launch(request: LaunchRequest): Promise<LaunchResult> {
    const found = await this.#prepared(request);
    if (found.kind !== "prepared") return found;
    const { record, version, hash, pinnedHash, warnings, plan, args } = found;
    const { orgId, workflow, team = null } = request;
    const { startedBy, by = startedBy, agentId = null, requestedBy = null, caller, idempotency } = request;
    const { model = null, gateway = null, roleBindings = {} } = request;
    const candidate = { orgId, workflow, version, args, model, gateway, roleBindings, team };
    const started = await this.#admission.start(
      { ...candidate, caller: { startedBy, by, agentId }, record, depth: 0 },
      {
        definitionHash: hash,
        pinnedHash,
        trigger: request.trigger,
        requestedBy,
        priority: request.priority ?? plan.priority,
        recoveryMax: request.recovery?.max ?? null,
        ...(caller === undefined ? {} : { traceId: caller.traceId, parentSpanId: caller.spanId }),
        ...(idempotency === undefined ? {} : { idempotency }),
        ...(request.labels === undefined ? {} : { labels: request.labels }),
        ...(request.hops === undefined ? {} : { hops: request.hops }),
        ...(request.limit === undefined ? {} : { limit: request.limit }),
      },
    );
    return started.kind === "started" && warnings.length > 0 ? { ...started, warnings } : started;
  }

  /** Loads and checks everything that is needed before the gates are asked. */
  async #prepared(request: LaunchRequest): Promise<Prepared | LaunchResult> {
    const before = await this.#admission.repeated(request.idempotency);
    if (before !== undefined) return before;
    const { orgId, team = null } = request;
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
    return { kind: "prepared", record, version, hash, pinnedHash, warnings, plan, args: args.args };
  }

  /** Resolves and stores the pins of a text, and returns their hash. */
  async #pinned(orgId: string, hash: string, team: string | null): Promise<Pinned | RefusedLaunch> {
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

  #rememberPlain(key: string, warnings: readonly Problem[]): void {
    if (this.#plain.size >= PLAIN_MAX) this.#plain.clear();
    this.#plain.set(key, warnings);
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
}

/** A run that can start if the gates allow it. */
interface Prepared extends Omit<Pinned, "kind"> {
  readonly kind: "prepared";
  readonly record: WorkflowRecord;
  readonly version: number;
  readonly hash: string;
  readonly plan: Plan;
  readonly args: JsonObject;
}

interface Pinned {
  readonly kind: "pinned";
  readonly pinnedHash: string | null;
  readonly warnings: readonly Problem[];
}

type FoundVersion =
  | { readonly ok: true; readonly record: WorkflowRecord; readonly version: number; readonly hash: string }
  | { readonly ok: false; readonly refusal: LaunchRefusal };

/** Returns the args of a run with defaults, or all problems of the args. */
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
