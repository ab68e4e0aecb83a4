import type { Json, JsonObject } from "../core/base/index.ts";
import type { ApprovalInput } from "../core/engine/index.ts";
import type { Decision, EventPayload } from "../core/event/index.ts";
import { isOutcomeUnknown } from "../core/view/index.ts";
import { callSections } from "./approval-text.ts";
import { readJson } from "./call-answer.ts";
import { formatCost } from "./figures.ts";
import { fieldValue } from "./inbox.ts";
import { type Io, isAtTerminal } from "./io.ts";
import type { Progress } from "./progress.ts";
import { Refusal } from "./refusal.ts";
import { createPaint, printable } from "./terminal-text.ts";

export const APPROVE_MODES = ["all", "reject", "ask"] as const;
export type ApproveMode = (typeof APPROVE_MODES)[number];

const RENDERED_LINES = 12;

/** The part of an approval request that an answer depends on. */
export type Question = Pick<
  EventPayload<"approval.requested">,
  "approvalId" | "nodeId" | "summary" | "rendered" | "choices" | "subject" | "form"
>;

export type ApprovalAnswer = Pick<ApprovalInput, "decision" | "by" | "byStarter" | "reason" | "modifications" | "form">;

/** Returns an answer. Null leaves the question open. `refusal` is the reason why the last answer was refused. */
export type AnswerApproval = (
  question: Question,
  context: { readonly signal: AbortSignal; readonly refusal: string | null },
) => Promise<ApprovalAnswer | null>;

/** Approves everything that can be approved, without asking a person. */
const answerYes: AnswerApproval = ({ choices }, { refusal }) =>
  Promise.resolve(refusal === null ? answerWith(choices, ["approve", "retry"], "--approve all") : null);

const answerNo: AnswerApproval = ({ choices }, { refusal }) =>
  Promise.resolve(refusal === null ? answerWith(choices, ["reject", "abort"], "--approve reject") : null);

/** Returns the function that answers the approvals of a run: set by `--approve`, else the person at the terminal, else null. */
export function chooseAnswer(
  io: Io,
  { approve, wait }: { readonly approve?: ApproveMode; readonly wait: boolean },
  progress: Progress,
): AnswerApproval | null {
  if (approve === "all") return answerYes;
  if (approve === "reject") return answerNo;
  const canAsk = approve === "ask" || isAtTerminal(io);
  return canAsk && wait ? createPrompter(io, progress) : null;
}

function answerWith(choices: readonly Decision[], wanted: readonly Decision[], flag: string): ApprovalAnswer | null {
  const decision = wanted.find((choice) => choices.includes(choice));
  return decision === undefined ? null : { decision, by: "cli", reason: `answered by ${flag}` };
}

/** Creates a function that asks the person at the terminal, one question at a time. */
function createPrompter(io: Io, progress: Progress): AnswerApproval {
  let previous: Promise<unknown> = Promise.resolve();
  return (approval, { signal, refusal }) => {
    const answer = previous.then(() => {
      if (signal.aborted) return null;
      progress.pause();
      return ask(io, approval, signal, refusal).finally(progress.resume);
    });
    previous = answer.catch(() => undefined);
    return answer;
  };
}

async function ask(
  io: Io,
  approval: Question,
  signal: AbortSignal,
  refusal: string | null,
): Promise<ApprovalAnswer | null> {
  const paint = createPaint(io.err, io.env);
  if (refusal !== null) io.err.write(`${paint("yellow", "Not accepted:")} ${printable(refusal)}\n`);
  const { subject, nodeId, summary } = approval;
  io.err.write(`\n${paint("bold", printable(subject?.title ?? summary))} (${printable(nodeId)})\n`);
  const lines = printable(aboutOf(approval)).split("\n");
  for (const line of lines.slice(0, RENDERED_LINES)) io.err.write(`  ${paint("gray", `│ ${line}`)}\n`);
  if (lines.length > RENDERED_LINES)
    io.err.write(`  ${paint("gray", `│ … ${lines.length - RENDERED_LINES} more lines`)}\n`);
  const isChangeable = subject?.call !== undefined && !isOutcomeUnknown(approval.choices);
  const choices = [...approval.choices, ...(isChangeable ? ["edit"] : []), "later"];
  for (;;) {
    const line = await io.readLine(`${choices.map(withKey).join(" · ")}: `, signal);
    if (line === null) return null;
    const [word = "", ...rest] = line.trim().split(/\s+/);
    const choice = choices.find((each) => word !== "" && each.startsWith(word.toLowerCase()));
    if (choice === undefined) continue;
    if (choice === "later") return null;
    const isEdit = choice === "edit";
    const decision = (isEdit ? "approve" : choice) as Decision;
    const reason = decision === "reject" ? await askReason(io, rest.join(" "), signal) : rest.join(" ");
    if (reason === null) return null;
    const form = decision === "approve" ? await askForm(io, approval, signal) : undefined;
    if (form === null) return null;
    const modifications = decision === "approve" ? await askCall(io, approval, isEdit, signal) : undefined;
    if (modifications === null) return null;
    return {
      decision,
      by: "cli",
      byStarter: true,
      ...(reason === "" ? {} : { reason }),
      ...(form === undefined ? {} : { form }),
      ...(modifications === undefined ? {} : { modifications }),
    };
  }
}

/** Returns the text of a question. For a tool call it includes the model's text, the run's cost and the policies. */
function aboutOf({ subject, choices, rendered }: Question): string {
  if (subject?.call === undefined) return rendered;
  return [
    ...callSections(subject.call, isOutcomeUnknown(choices)).map((text, index) => (index === 0 ? text : `“${text}”`)),
    ...subject.policies.map(({ name, reason }) => `${name}: ${reason}`),
    `The run has cost ${formatCost(subject.costMicros)} so far.`,
  ].join("\n");
}

/** Asks for other args or for the result of a call. Undefined when neither is needed. Null when the person gives no answer. */
async function askCall(
  io: Io,
  { subject, choices }: Question,
  isEdit: boolean,
  signal: AbortSignal,
): Promise<JsonObject | null | undefined> {
  if (subject?.call === undefined || (!isEdit && !isOutcomeUnknown(choices))) return undefined;
  const name = isEdit ? "args" : "result";
  for (;;) {
    const line = await io.readLine(isEdit ? "All args, as JSON: " : "What it returned, as JSON: ", signal);
    if (line === null || line.trim() === "") return null;
    try {
      return { [name]: readJson(name, line) };
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      io.err.write(`${thrown.message}\n`);
    }
  }
}

/** Asks for the fields of a gate in turn. An empty line leaves a field out. Null when the person gives no answer. */
async function askForm(io: Io, { form }: Question, signal: AbortSignal): Promise<JsonObject | null | undefined> {
  if (form === undefined) return undefined;
  const values: [string, Json][] = [];
  for (const [name, { label, type, required, enum: choices = [] }] of Object.entries(form)) {
    const hint = choices.length === 0 ? type : choices.join("|");
    const line = await io.readLine(`${printable(label ?? name)} (${hint}${required ? "" : ", optional"}): `, signal);
    if (line === null) return null;
    if (line.trim() !== "") values.push([name, fieldValue(type, line.trim(), choices)]);
  }
  return Object.fromEntries(values);
}

async function askReason(io: Io, given: string, signal: AbortSignal): Promise<string | null> {
  let reason: string | null = given;
  while (reason !== null && reason.trim() === "") reason = await io.readLine("Reason: ", signal);
  return reason;
}

/** Marks the shortest prefix that selects a choice. When two choices begin alike, the first one has the shorter prefix. */
function withKey(choice: string, _at: number, choices: readonly string[]): string {
  const isKey = (length: number): boolean =>
    choices.find((each) => each.startsWith(choice.slice(0, length))) === choice;
  let length = 1;
  while (length < choice.length && !isKey(length)) length += 1;
  return `[${choice.slice(0, length)}]${choice.slice(length)}`;
}

/** Prints the approvals that were open when a run in this process stopped because no person could answer. */
export function printOpenApprovals(io: Io, runId: string, approvals: readonly Question[]): void {
  for (const { summary, nodeId, approvalId, choices } of approvals) {
    io.err.write(`waiting for a person: ${printable(summary)} (${printable(nodeId)}, ${approvalId})\n`);
    io.err.write(`  it can be answered with ${choices.join(", ")}\n`);
  }
  io.err.write(`run ${runId} is lost: it existed only in this process\n`);
  io.err.write(
    "To answer, run it again in a terminal, or with --approve all, --approve reject, or --approve ask (answers on standard input).\n",
  );
}
