import type { ApprovalRule } from "../../src/core/definition/index.ts";
import { newChain } from "../../src/governance/launch-chain.ts";
import { type LaunchApproval, UNANSWERED } from "../../src/store/index.ts";

/** A launch that people of a rule are asked about from `at` on. */
export function launchApproval(rule: ApprovalRule, at: number, id = "apr_1"): LaunchApproval {
  return {
    id,
    orgId: "org_1",
    runId: "",
    nodeId: "",
    attempt: null,
    epoch: 0,
    source: "policy",
    summary: "ann wants to start news",
    agentId: null,
    digest: id,
    rendered: "",
    choices: ["approve", "reject"],
    approvers: rule.approvers,
    requestedAt: at,
    expiresAt: at + rule.expiresMs,
    workflow: "news",
    title: "ann wants to start news",
    subject: null,
    subjectDigest: null,
    isSeparate: false,
    quorum: 1,
    form: null,
    confirm: null,
    ...UNANSWERED,
    requestedBy: "key_1",
    chain: newChain(rule, at),
  };
}
