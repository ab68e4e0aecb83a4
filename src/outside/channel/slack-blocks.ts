import type { JsonObject } from "../../core/base/index.ts";
import type { Decision } from "../../core/event/index.ts";
import type { ApprovalRecord } from "../../store/index.ts";
import { factLines, headline, type MessageItem, needsSignIn } from "./message-item.ts";

/** The value of a button: the answer, and the subject it is for. */
export interface ButtonValue {
  readonly approvalId: string;
  readonly decision: Decision;
  readonly subjectDigest: string;
}

export const ANSWER_ACTION = "sluice-answer";
export const REASON_MODAL = "sluice-reason";
export const REASON_BLOCK = "reason";
const LINK_ACTION = "sluice-link";

const SECTION_MAX = 2_900;
const SECTIONS_MAX = 40;
const TITLE_MAX = 250;
const LISTED_MAX = 30;

/** Plain text only: Slack interprets markup everywhere else, including `<!channel>`. */
function plain(text: string, max: number): JsonObject {
  return { type: "plain_text", text: text === "" ? "–" : text.slice(0, max), emoji: false };
}

function section(text: string): JsonObject {
  return { type: "section", text: plain(text, SECTION_MAX) };
}

function context(lines: readonly string[]): readonly JsonObject[] {
  if (lines.length === 0) return [];
  return [{ type: "context", elements: lines.slice(0, 10).map((line) => plain(line, SECTION_MAX)) }];
}

/** Returns the blocks of one item: its facts and its buttons. */
export function itemBlocks(item: MessageItem): readonly JsonObject[] {
  const { notice, approval } = item;
  const buttons = approval === null ? linkButtons(item) : answerButtons(approval, item);
  return [
    section(notice.title),
    ...context([...factLines(item), ...(approval === null ? [] : stateLines(approval))]),
    ...(buttons.length === 0 ? [] : [{ type: "actions", elements: buttons }]),
  ];
}

/** Returns the blocks of a message about several items. Each item has its own message in the thread. */
export function listBlocks(items: readonly MessageItem[]): readonly JsonObject[] {
  const titles = items.slice(0, LISTED_MAX).map(({ notice }) => `• ${notice.title}`);
  const more = items.length > LISTED_MAX ? [`and ${items.length - LISTED_MAX} more`] : [];
  return [
    section(headline(items)),
    section([...titles, ...more].join("\n")),
    ...context(["Details and answers are in the thread."]),
  ];
}

/** Returns the blocks with the content of an item, for the thread. */
export function detailBlocks({ notice, approval, sections }: MessageItem): readonly JsonObject[] {
  const facts = [
    ...(notice.runId === null ? [] : [`Run: ${notice.runId}`]),
    ...(approval === null ? [] : [`Approval: ${approval.id}`]),
    ...(approval === null || approval.approvers.length === 0
      ? []
      : [`Asked: ${approval.approvers.map(({ who }) => who).join(", ")}`]),
    ...(approval === null || sections.length > 0 ? [] : ["The content is shown after signing in."]),
  ];
  const shown = sections.slice(0, SECTIONS_MAX).map(({ label, text, rows }) => {
    const body = rows.length === 0 ? text : rows.map((row) => row.join(" | ")).join("\n");
    return section(`${label}\n${body}`);
  });
  return [...shown, ...context(facts)];
}

function stateLines({ status, resolvedBy, answers, quorum }: ApprovalRecord): readonly string[] {
  if (status !== "pending") return [`${capital(status)}${resolvedBy === null ? "" : ` by ${resolvedBy}`}`];
  return answers.length === 0 ? [] : [`${answers.length} of ${quorum} people have approved`];
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function linkButtons({ link }: MessageItem): readonly JsonObject[] {
  if (link === null) return [];
  return [{ type: "button", action_id: LINK_ACTION, text: plain("Open", 75), url: link }];
}

/** Returns the answer buttons. An approval that needs a sign-in or a form is answered on a page, so it gets only a link. */
function answerButtons(approval: ApprovalRecord, item: MessageItem): readonly JsonObject[] {
  const { id, status, choices, subjectDigest, form } = approval;
  if (status !== "pending") return [];
  const isHere = !needsSignIn(approval) && form === null && subjectDigest !== null;
  const buttons: JsonObject[] = [];
  for (const decision of ["approve", "reject"] as const) {
    if (!isHere || subjectDigest === null || !choices.includes(decision)) continue;
    const value: ButtonValue = { approvalId: id, decision, subjectDigest };
    buttons.push({
      type: "button",
      action_id: `${ANSWER_ACTION}-${decision}`,
      text: plain(`${capital(decision)}…`, 75),
      style: decision === "approve" ? "primary" : "danger",
      value: JSON.stringify(value),
      // A rejection opens a form for its reason, so it needs no extra confirmation.
      ...(decision === "approve" ? { confirm: confirmation(item.notice.title) } : {}),
    });
  }
  return [...buttons, ...linkButtons(item)];
}

function confirmation(title: string): JsonObject {
  return {
    title: plain("Approve this?", 100),
    text: plain(title, TITLE_MAX),
    confirm: plain("Approve", 30),
    deny: plain("Cancel", 30),
  };
}

/** Returns a form that asks for the reason of a rejection. */
export function reasonModal(value: string, title: string): JsonObject {
  return {
    type: "modal",
    callback_id: REASON_MODAL,
    private_metadata: value,
    title: plain("Reject", 24),
    submit: plain("Reject", 24),
    close: plain("Cancel", 24),
    blocks: [
      section(title),
      {
        type: "input",
        block_id: REASON_BLOCK,
        label: plain("Why is it rejected?", 2_000),
        element: { type: "plain_text_input", action_id: REASON_BLOCK, multiline: true, max_length: 3_000 },
      },
    ],
  };
}
