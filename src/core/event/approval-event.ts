import { z } from "zod";
import { formSchema } from "./form.ts";
import { at, count, jsonObject, onNode } from "./payload.ts";
import { APPROVAL_SOURCES, APPROVAL_STATUSES, DECISIONS } from "./status.ts";
import { subjectSchema } from "./subject.ts";

const onApproval = { ...onNode, approvalId: z.string(), source: z.enum(APPROVAL_SOURCES) };
const answeredBy = {
  by: z.string().optional(),
  /** Of the key that answered; its label, which need not be its own, is in `by`. */
  byId: z.string().optional(),
  /** The person behind the key or the session. */
  personId: z.string().optional(),
  /** It was not asked of them: an administrator answered, with a reason. */
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
    /** Absent in older logs, like everything below. */
    subject: subjectSchema.optional(),
    subjectDigest: z.string().optional(),
    /** How many different people have to approve; absent: one. */
    quorum: count.optional(),
    /** The fields a person has to fill in. */
    form: formSchema.optional(),
    confirm: z.literal("sign_in").optional(),
  }),
  "approval.reminded": z.object({ ...onApproval, urgency: z.enum(["normal", "elevated", "critical"]) }),
  "approval.escalated": z.object({ ...onApproval, hop: count, who: z.string() }),
  /** A yes that is not enough yet: more people have to approve. */
  "approval.answered": z.object({
    ...onApproval,
    decision: z.enum(DECISIONS),
    ...answeredBy,
    by: z.string(),
    answers: count,
    quorum: count,
  }),
  /** A yes with changes where several people have to approve: earlier ones are void, and this is the first of the new subject. */
  "approval.revised": z.object({
    ...onApproval,
    decision: z.enum(DECISIONS),
    ...answeredBy,
    by: z.string(),
    digest: z.string(),
    subject: subjectSchema,
    subjectDigest: z.string(),
    modifications: jsonObject.optional(),
    /** What was entered into the form. */
    form: jsonObject.optional(),
    /** Whose approvals do not count any more: the person of each, else the key, else the name; absent: none's. */
    voided: z.array(z.string()).optional(),
  }),
  "approval.resolved": z.object({
    ...onApproval,
    status: z.enum(APPROVAL_STATUSES),
    decision: z.enum(DECISIONS).optional(),
    ...answeredBy,
    modifications: jsonObject.optional(),
    /** What was entered into the form. */
    form: jsonObject.optional(),
    /** Of the request with the changes that were approved with it; absent: as it was requested. */
    digest: z.string().optional(),
  }),
} as const;
