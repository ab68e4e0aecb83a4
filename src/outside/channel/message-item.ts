import { isOutcomeUnknown } from "../../core/view/index.ts";
import type { ApprovalRecord } from "../../store/index.ts";
import type { Notice } from "./notice.ts";
import { sectionsOf, type SubjectSection } from "./subject-section.ts";

/** One subject of a message, with everything needed for its text. */
export interface MessageItem {
  readonly notice: Notice;
  readonly approval: ApprovalRecord | null;
  /** Page where a person can see and answer it; null when there is no such page. */
  readonly link: string | null;
  /** All sections when the channel may show the content; otherwise empty. */
  readonly sections: readonly SubjectSection[];
}

const HIGH_RISK: ReadonlySet<string> = new Set(["financial", "write"]);

/**
 * Whether a person must sign in to answer; a link or button is not enough. An approval without a subject cannot be
 * answered on a ticket page, and the unknown outcome of a call is reported in the console.
 */
export function needsSignIn({ subject, subjectDigest, confirm, choices }: ApprovalRecord): boolean {
  if (subject === null || subjectDigest === null || confirm !== null) return true;
  return HIGH_RISK.has(subject.action ?? "") || (subject.call !== undefined && isOutcomeUnknown(choices));
}

export function itemOf(
  notice: Notice,
  approval: ApprovalRecord | null,
  link: string | null,
  hasContent: boolean,
): MessageItem {
  const subject = hasContent ? (approval?.subject ?? null) : null;
  return {
    notice,
    approval,
    link,
    sections: approval === null || subject === null ? [] : sectionsOf(subject, approval),
  };
}

/** UTC, because the time zone of the reader is unknown. */
const MOMENT = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });

export function untilText({ expiresAt }: Pick<ApprovalRecord, "expiresAt">): string {
  return `Answer until: ${momentText(expiresAt)}`;
}

export function momentText(at: number): string {
  return `${MOMENT.format(at)} UTC`;
}

/** Returns the facts of an item besides its title, one per line. `hasContent`: its sections are shown below. */
export function factLines({ notice, approval }: MessageItem, hasContent = false): readonly string[] {
  const { detail, workflow, runId } = notice;
  const policies = (approval?.subject?.policies ?? []).map(({ name, reason }) => `Policy ${name}: ${reason}`);
  return [
    ...(detail === "" ? [] : [detail]),
    // Workflow and policies are already part of the content.
    ...(workflow === null || hasContent ? [] : [`Workflow: ${workflow}`]),
    ...(runId === null || approval !== null ? [] : [`Run: ${runId}`]),
    ...(hasContent ? [] : policies),
    ...(approval === null ? [] : [untilText(approval)]),
  ];
}

const PREFIXES: Readonly<Partial<Record<Notice["on"], string>>> = {
  "approval.requested": "Approval needed",
  "approval.reminded": "Reminder",
  "approval.escalated": "Escalated to you",
};

/** Returns the subject line of a message. For several items it shows their number. */
export function headline(items: readonly MessageItem[]): string {
  const [first] = items;
  if (first === undefined) return "";
  const { on, title } = first.notice;
  if (items.length > 1) return on === "run.failed" ? `${items.length} runs failed` : `${items.length} approvals needed`;
  const prefix = PREFIXES[on];
  const line = prefix === undefined ? title : `${prefix}: ${title}`;
  return line.replaceAll(/\s+/g, " ").slice(0, 200);
}
