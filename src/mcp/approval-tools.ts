import { z } from "zod";
import type { Answer } from "../client/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { APPROVAL_STATUSES, DECISIONS } from "../core/event/index.ts";
import { defined, page } from "./input.ts";
import { defineTool, type FixedTool } from "./tool.ts";
import { answer } from "./tool-result.ts";

export const approvalTools: readonly FixedTool[] = [
  defineTool({
    name: "list_approvals",
    title: "List approvals",
    description:
      "What runs wait for a person to answer: what would be done, who may answer, and which answers there are.",
    input: z.strictObject({
      status: z.enum([...APPROVAL_STATUSES, "all"]).default("pending"),
      ...page,
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    handle: async ({ status, ...words }, { api }) => {
      const filter = { ...defined(words), ...(status === "all" ? {} : { status }) };
      const { data, nextCursor } = await api.listApprovals(filter);
      const approvals = data.map(({ id, ...approval }) => ({ approvalId: id, ...approval }));
      const lines = approvals.map(({ approvalId, summary, runId, choices }) => {
        return `${approvalId}: ${summary} (${runId}; ${choices.join(", ")})`;
      });
      const found = { approvals, ...(nextCursor === undefined ? {} : { nextCursor }) };
      return answer(found, lines.join("\n") || "Nothing waits for an answer.");
    },
  }),
  defineTool({
    name: "resolve_approval",
    title: "Answer an approval",
    description:
      "Answers an approval in the name of the key's owner. Ask the person first, and show them what would be done. " +
      "The first answer counts, and no caller answers for its own work.",
    input: z.strictObject({
      approval_id: z.string().min(1).max(200).describe("Id of an approval: list_approvals shows it"),
      decision: z.enum(DECISIONS).describe("One of the choices of the approval"),
      reason: z.string().optional(),
      digest: z.string().optional().describe("Digest of what the person saw; the answer counts only for that"),
      modifications: z.record(z.string(), z.unknown()).optional().describe("Outputs the person changed"),
    }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    handle: async ({ approval_id, decision, reason, digest, modifications }, { api }) => {
      const given: Answer = {
        decision,
        ...(reason === undefined ? {} : { reason }),
        ...(digest === undefined ? {} : { digest }),
        // It came as JSON, and the API checks it.
        ...(modifications === undefined ? {} : { modifications: modifications as JsonObject }),
      };
      const { id: approvalId, ...approval } = await api.resolveApproval(approval_id, given);
      const sentence = `Approval ${approvalId} is ${approval.status}; run ${approval.runId} continues.`;
      return answer({ approvalId, ...approval }, sentence);
    },
  }),
];
