import { randomBytes } from "node:crypto";
import type { Clock } from "../clock/index.ts";
import { auditEntry } from "../core/audit/index.ts";
import { canonicalJson, digestJson, type Json } from "../core/base/index.ts";
import { ANYONE, type ApprovalRule } from "../core/definition/index.ts";
import type { Subject } from "../core/event/index.ts";
import { type HoldReason, type Judgement, policyKey, reasonOf, strictest } from "../core/governance/index.ts";
import { type LaunchApproval, type LaunchApprovalStore, NO_RUN, UNANSWERED } from "../store/index.ts";
import type { Governor } from "./governor.ts";
import type { LaunchSubject } from "./launch.ts";
import { newChain } from "./launch-chain.ts";
import { launchSubject } from "./launch-subject.ts";
import type { OrganisationUse } from "./organisation-use.ts";
import type { RegisteredCache } from "./registered-cache.ts";

/** A launch request in full. An approval is valid for exactly this request. */
export interface LaunchToAdmit extends Omit<LaunchSubject, "hasApprovedLaunch"> {
  /** The key that starts the run. */
  readonly keyId: string;
  readonly version: number | null;
  readonly model: string | null;
  readonly roleBindings: Readonly<Record<string, string>>;
  /** Kind of start, unless it is a plain one: `restart of run_1`. */
  readonly purpose?: string;
  /** Name of the requester as people know it. */
  readonly by: string;
  /** The agent that owns the key, if one does. That agent can never approve the launch. */
  readonly agentId: string | null;
}

export interface LaunchRuling {
  readonly judgement: Judgement;
  /** Called when the run could not be created: the approval may be used again. */
  returnApproval(): Promise<void>;
}

export interface LaunchAdmissionOptions {
  readonly governor: Governor;
  readonly registered: RegisteredCache;
  readonly store: LaunchApprovalStore;
  readonly use: OrganisationUse;
  readonly clock: Clock;
}

/** Name used for the approval that the posture of a workflow requires, next to the names of policies. */
const POSTURE_GRANT = "posture";

/**
 * Asks the launch gates, and opens an approval where they require one: the launch is refused until it is granted. Then
 * the identical launch passes, once.
 */
export class LaunchAdmission {
  readonly #options: LaunchAdmissionOptions;

  constructor(options: LaunchAdmissionOptions) {
    this.#options = options;
  }

  /** Throws `StorageFull` when the organisation has used up its storage. */
  async judge(orgId: string, request: LaunchToAdmit): Promise<LaunchRuling> {
    const { governor, store, use } = this.#options;
    await use.requireStorage(orgId);
    const granted = { ...request, hasApprovedLaunch: true };
    // A launch that would be refused even with an approval cannot be approved.
    const judged = await governor.launches.preview(orgId, granted);
    if (judged.disposition !== "allow") return ruling(judged);
    const wanted = wantedBy(request, judged);
    const reasons = reasonsOf(request, judged);
    if (wanted.length === 0)
      return ruling(await governor.launches.judge(orgId, { ...request, hasApprovedLaunch: false }));
    const digest = digestOf(request, wanted);
    const approvalId = await store.findApprovedLaunch(orgId, digest);
    const ask = async (): Promise<LaunchRuling> => ruling(await this.#ask(orgId, { request, wanted, reasons, digest }));
    if (approvalId === undefined) return ask();
    const judgement = await governor.launches.judge(orgId, granted);
    if (judgement.disposition !== "allow") return ruling(judgement);
    // Used last, so that nothing that fails before uses it up.
    if (!(await store.useLaunch(orgId, digest, approvalId))) return ask();
    return { judgement, returnApproval: () => store.returnLaunch(orgId, digest, approvalId) };
  }

  async #ask(orgId: string, asking: Omit<Asked, "agent" | "rule" | "at">): Promise<Judgement> {
    const { governor, registered, store, clock } = this.#options;
    const { request, wanted, digest } = asking;
    const refused = await governor.launches.preview(orgId, { ...request, hasApprovedLaunch: false });
    // The configuration may have changed in the meantime, so that no approval is needed any more.
    if (refused.disposition !== "block") return refused;
    const rule = this.#ruleFor(orgId, wanted);
    const { agentId } = request;
    const { trustLevel: trust = null } = registered.of(orgId).agents.get(agentId ?? "") ?? {};
    const agent = agentId === null ? null : { id: agentId, trust };
    const asked = approvalOf(orgId, { ...asking, agent, rule, at: clock.now() });
    const { choices, approvers, expiresAt } = asked;
    const entry = auditEntry({
      at: asked.requestedAt,
      type: "approval.requested",
      actor: request.keyId,
      resource: `approval/${asked.id}`,
      detail: {
        approvalId: asked.id,
        source: "policy",
        workflow: request.workflow,
        choices: [...choices],
        digest,
        agentId: request.agentId,
        policies: [...wanted],
        approvers: approvers.map((approver) => ({ ...approver })),
        expiresAt,
        hop: asked.hop,
      },
    });
    const { id } = await store.askLaunch(asked, entry);
    const approve = { action: "approve_launch", target: id, detail: `approve ${id}, then start it again as it is` };
    const others = refused.explanation.unblock.filter(({ action }) => action !== "approve_launch");
    return { ...refused, explanation: { ...refused.explanation, unblock: [approve, ...others] } };
  }

  /** The first policy with approvers decides who answers. Stricter conditions of the other policies apply too. */
  #ruleFor(orgId: string, wanted: readonly string[]): ApprovalRule {
    const named = this.#options.registered
      .of(orgId)
      .policies.filter((policy) => wanted.includes(policyKey(policy)))
      .map(({ approvers }) => approvers ?? ANYONE);
    return strictest(wanted.includes(POSTURE_GRANT) ? [...named, ANYONE] : named);
  }
}

function ruling(judgement: Judgement): LaunchRuling {
  return { judgement, returnApproval: () => Promise.resolve() };
}

function wantedBy({ posture }: LaunchToAdmit, { matched }: Judgement): readonly string[] {
  const policies = matched
    .filter(({ action, enforcement }) => action === "require_approval" && enforcement === "hard")
    .map(policyKey);
  return posture === "approval_required" ? [POSTURE_GRANT, ...policies] : policies;
}

function reasonsOf({ posture }: LaunchToAdmit, { matched }: Judgement): readonly HoldReason[] {
  const policies = matched
    .filter(({ action, enforcement }) => action === "require_approval" && enforcement === "hard")
    .map(reasonOf);
  const reason = "The posture of the workflow is approval_required: each start of it is approved.";
  return posture === "approval_required" ? [{ name: POSTURE_GRANT, reason }, ...policies] : policies;
}

/** A change of version, args, place or policy makes it a different launch. */
function digestOf(request: LaunchToAdmit, wanted: readonly string[]): string {
  return digestJson({ ...launchOf(request), policies: [...wanted] });
}

function launchOf(request: LaunchToAdmit): { readonly [name: string]: Json } {
  const { workflow, version, args, gateway, model, roleBindings, team = null, purpose = null, depth } = request;
  return { workflow, version, args, gateway, model, roleBindings: { ...roleBindings }, team, purpose, depth };
}

interface Asked {
  readonly request: LaunchToAdmit;
  readonly wanted: readonly string[];
  readonly reasons: readonly HoldReason[];
  readonly digest: string;
  readonly agent: Subject["agent"];
  readonly rule: ApprovalRule;
  readonly at: number;
}

/** Fields besides args that a caller may set for a run. */
const NAMED: ReadonlySet<string> = new Set(["gateway", "model", "roleBindings", "team"]);

function approvalOf(orgId: string, { request, wanted, reasons, digest, agent, rule, at }: Asked): LaunchApproval {
  const { workflow, version, by, purpose = null, agentId, keyId, args } = request;
  const what = `${workflow}${version === null ? "" : ` version ${version}`}${purpose === null ? "" : ` (${purpose})`}`;
  const given = Object.entries(launchOf(request)).filter(([, value]) => value !== null);
  const named = given.filter(([name]) => NAMED.has(name));
  const about = { what, workflow, version, by, purpose, agent, args, named, reasons, quorum: rule.quorum };
  const { subject, subjectDigest } = launchSubject(about);
  const chain = newChain(rule, at);
  return {
    id: `apr_${at.toString(36).padStart(9, "0")}${randomBytes(10).toString("hex")}`,
    orgId,
    runId: NO_RUN,
    nodeId: "",
    attempt: null,
    epoch: 0,
    source: "policy",
    summary: `${by} wants to start ${what}, which needs an approval (${wanted.join(", ")})`,
    agentId,
    digest,
    rendered: `start ${what}\n${given.map(([name, value]) => `${name}: ${canonicalJson(value)}`).join("\n")}\n`,
    choices: ["approve", "reject"],
    approvers: rule.approvers,
    isSeparate: rule.isSeparate,
    requestedAt: at,
    expiresAt: at + rule.expiresMs,
    workflow,
    title: subject.title,
    subject,
    subjectDigest,
    quorum: rule.quorum,
    form: null,
    confirm: rule.confirm,
    ...UNANSWERED,
    requestedBy: keyId,
    chain,
    hop: chain.hop,
  };
}
