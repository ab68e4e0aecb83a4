import { z } from "zod";
import { formSchema } from "./form.ts";
import { at, count, jsonObject, onNode } from "./payload.ts";
import { APPROVAL_SOURCES, APPROVAL_STATUSES, DECISIONS } from "./status.ts";
import { subjectSchema } from "./subject.ts";

const onApproval = { ...onNode, approvalId: z.string(), source: z.enum(APPROVAL_SOURCES) };
const answeredBy = {
  by: z.string().optional(),
  /** Id of the key that answered. `by` contains its label, which need not be unique. */
  byId: z.string().optional(),
  /** The person behind the key or the session. */
  personId: z.string().optional(),
  /** Set when an administrator answered without being asked, and gave a reason. */
  isOverride: z.literal(true).optional(),
  reason: z.string().optional(),
};

/** The payloads of the events about approvals. */
export const APPROVAL_PAYLOADS = {
  "approval.requested": z.object({
    ...onApproval,
    choices: z.array(z.enum(DECISIONS)),
    epoch: count,
    digest: z.string(),
    summary: z.string(),
    rendered: z.string(),
    agentId: z.string().nullable(),
    policies: z.array(z.string()),
    approvers: z.array(z.object({ who: z.string(), withinMs: z.number().nullable() })),
    otherwise: z.string().nullable(),
    isSeparate: z.boolean(),
    expiresAt: at,
    hop: count,
    /** Absent in older logs, like all fields below. */
    subject: subjectSchema.optional(),
    subjectDigest: z.string().optional(),
    /** Number of different people who have to approve. Absent for one. */
    quorum: count.optional(),
    /** The fields a person has to fill in. */
    form: formSchema.optional(),
    confirm: z.literal("sign_in").optional(),
  }),
  "approval.reminded": z.object({ ...onApproval, urgency: z.enum(["normal", "elevated", "critical"]) }),
  "approval.escalated": z.object({ ...onApproval, hop: count, who: z.string() }),
  /** An approval that is not sufficient yet: more people have to approve. */
  "approval.answered": z.object({
    ...onApproval,
    decision: z.enum(DECISIONS),
    ...answeredBy,
    by: z.string(),
    answers: count,
    quorum: count,
  }),
  /** An approval with changes, when several people have to approve: earlier approvals are void, and this is the first of the new
   * subject. */
  "approval.revised": z.object({
    ...onApproval,
    decision: z.enum(DECISIONS),
    ...answeredBy,
    by: z.string(),
    digest: z.string(),
    subject: subjectSchema,
    subjectDigest: z.string(),
    modifications: jsonObject.optional(),
    /** Values entered into the form. */
    form: jsonObject.optional(),
    /** People whose approvals no longer count: the person id, else the key, else the name. Absent when there are none. */
    voided: z.array(z.string()).optional(),
  }),
  "approval.resolved": z.object({
    ...onApproval,
    status: z.enum(APPROVAL_STATUSES),
    decision: z.enum(DECISIONS).optional(),
    ...answeredBy,
    modifications: jsonObject.optional(),
    /** Values entered into the form. */
    form: jsonObject.optional(),
    /** Digest of the request with the approved changes. Absent when nothing was changed. */
    digest: z.string().optional(),
  }),
} as const;
