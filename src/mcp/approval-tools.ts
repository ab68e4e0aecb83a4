import { z } from "zod";
import type { Answer, Approval, ApprovalsQuery } from "../client/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { APPROVAL_STATUSES, DECISIONS } from "../core/event/index.ts";
import { NOTHING_SENT, requestText, shownText, withoutRequest } from "../core/view/index.ts";
import { defined, page } from "./input.ts";
import { defineTool, type FixedTool } from "./tool.ts";
import { answer } from "./tool-result.ts";

const approvalId = z.string().min(1).max(200).describe("Id of an approval, from list_approvals");

export const approvalTools: readonly FixedTool[] = [
  defineTool({
    name: "list_approvals",
    title: "List approvals",
    description:
      "Lists the approvals that wait for a person: the question, who may answer, and the possible answers. " +
      "get_approval shows the exact request.",
    input: z.strictObject({
      status: z.enum([...APPROVAL_STATUSES, "closed", "all"]).default("pending"),
      mine: z.boolean().default(false).describe("Only approvals that the key may answer"),
      workflow: z.string().min(1).max(200).optional(),
      search: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("Text to search for in title, workflow, node, run id and args"),
      ...page,
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    handle: async ({ status, mine, search, ...words }, { api }) => {
      const filter: ApprovalsQuery = {
        ...defined(words),
        ...(status === "all" ? {} : { status }),
        ...(mine ? { mine: "true" } : {}),
        ...(search === undefined ? {} : { q: search }),
      };
      const { data, nextCursor } = await api.listApprovals(filter);
      const approvals = data.map(({ id, ...approval }) => ({ approvalId: id, ...approval }));
      const lines = approvals.map(({ approvalId: id, title, runId, choices }) => {
        return `${id}: ${title} (${runId ?? "launch"}; ${choices.join(", ")})`;
      });
      const found = { approvals, ...(nextCursor === undefined ? {} : { nextCursor }) };
      return answer(found, lines.join("\n") || "Nothing waits for an answer.");
    },
  }),
  defineTool({
    name: "get_approval",
    title: "Show an approval",
    description:
      "Shows everything a person needs to decide: the subject with the exact request, the effect of each answer, the form, " +
      "the approvers, and whether the key may answer. Show it to the person before resolve_approval.",
    input: z.strictObject({ approval_id: approvalId }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    handle: async ({ approval_id }, { api }) => {
      const [{ id, ...approval }, right] = await Promise.all([
        api.getApproval(approval_id),
        api.approvals.getRight(approval_id),
      ]);
      return answer({ approvalId: id, ...approval, right }, sentences({ id, ...approval }));
    },
  }),
  defineTool({
    name: "resolve_approval",
    title: "Answer an approval",
    description:
      "Answers an approval in the name of the key's owner. Ask the person first, and show them the exact request. " +
      "A caller cannot answer for its own work.",
    input: z.strictObject({
      approval_id: approvalId,
      decision: z.enum(DECISIONS).describe("One of the choices of the approval"),
      reason: z.string().optional(),
      digest: z
        .string()
        .optional()
        .describe("Digest of the request that the person saw. An answer with another digest is refused"),
      subject_digest: z
        .string()
        .optional()
        .describe("subjectDigest of the subject that the person saw. An answer with another digest is refused"),
      form: z.record(z.string(), z.unknown()).optional().describe("Values entered into the form, by field"),
      modifications: z
        .record(z.string(), z.unknown())
        .optional()
        .describe("inputs: values to send instead. outputs: the result, so that nothing is sent"),
    }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    handle: async ({ approval_id, decision, reason, digest, subject_digest, form, modifications }, { api }) => {
      const given: Answer = {
        decision,
        ...(reason === undefined ? {} : { reason }),
        ...(digest === undefined ? {} : { digest }),
        ...(subject_digest === undefined ? {} : { subjectDigest: subject_digest }),
        // Both came as JSON, and the API validates them.
        ...(form === undefined ? {} : { form: form as JsonObject }),
        ...(modifications === undefined ? {} : { modifications: modifications as JsonObject }),
      };
      const { id, subject: _, ...approval } = await api.resolveApproval(approval_id, given);
      return answer({ approvalId: id, ...approval }, outcome({ id, ...approval }));
    },
  }),
];

function outcome({ id, status, runId, quorum, answers }: Omit<Approval, "subject">): string {
  if (status === "pending") return `The answer counts: ${answers.length} of ${quorum} have approved ${id}.`;
  return `Approval ${id} is ${status}; ${runId === null ? "the launch" : `run ${runId}`} continues.`;
}

/** Returns the approval in a few lines, for people and models. */
function sentences({ id, title, subject, choices, rendered, form }: Approval): string {
  const request = subject?.request ?? null;
  const happens =
    request !== null
      ? `${requestText(request).sentence}\n${shownText(request.message)}`
      : subject !== null
        ? withoutRequest(subject)
        : rendered === ""
          ? NOTHING_SENT
          : rendered;
  return [
    `${id}: ${title}`,
    happens,
    ...(subject?.answers ?? []).map(({ decision, effect }) => `${decision}: ${effect}`),
    ...(form === null ? [] : [`Approving needs these fields: ${Object.keys(form).join(", ")}.`]),
    `It can be answered with ${choices.join(", ")}.`,
  ].join("\n");
}
