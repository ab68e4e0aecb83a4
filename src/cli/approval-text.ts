import type { AnswerRight, Approval, ApprovalComment } from "../client/index.ts";
import { diffText } from "../core/text/index.ts";
import {
  callText,
  isOutcomeUnknown,
  largeValueOf,
  NOTHING_SENT,
  NOTHING_SHOWN,
  OUTCOME_UNKNOWN,
  requestText,
  shownTable,
  shownText,
  SOURCE_TEXTS,
  withoutRequest,
} from "../core/view/index.ts";
import { formatCost, formatDuration } from "./figures.ts";
import type { Io } from "./io.ts";
import { formatWhen, printFacts } from "./listing.ts";
import { formatTable } from "./table.ts";
import { createPaint, oneLine, printable } from "./terminal-text.ts";

type Subject = NonNullable<Approval["subject"]>;
type Shown = Subject["shown"][number];

/** Returns the approvers in the order in which they are asked. Null when any key that may approve can answer. */
export function chainOf({ approvers }: Approval): string | null {
  if (approvers.length === 0) return null;
  return approvers
    .map(({ who, withinMs }) => (withinMs === null ? oneLine(who) : `${oneLine(who)} for ${formatDuration(withinMs)}`))
    .join(", then ");
}

/** Prints an approval with the same content and order as the console. */
export function printApproval(
  io: Io,
  approval: Approval,
  right: AnswerRight | null,
  comments: readonly ApprovalComment[],
): void {
  printHead(io, approval, right);
  const { subject } = approval;
  const print = new Sections(io);
  if (subject === null) {
    print.section("What exactly will happen", approval.rendered === "" ? NOTHING_SENT : approval.rendered);
  } else printSubject(print, subject, approval);
  const now = io.clock.now();
  const said = comments.map(({ by, at, text }) => `${oneLine(by)}, ${formatWhen(at, now)}: ${text}`);
  if (said.length > 0) print.section("Comments", said.join("\n"));
}

function printHead(io: Io, approval: Approval, right: AnswerRight | null): void {
  const now = io.clock.now();
  const { status, subject, nodeId, workflow, quorum, answers, reason } = approval;
  const isOpen = status === "pending";
  const version = subject?.version ?? null;
  printFacts(io, [
    ["approval", approval.id],
    ["about", oneLine(approval.title)],
    ["workflow", workflow === null ? null : `${oneLine(workflow)}${version === null ? "" : ` v${version}`}`],
    ["run", approval.runId],
    ["node", nodeId === null ? null : oneLine(nodeId)],
    ["started by", subject === null ? null : oneLine(subject.startedBy ?? subject.trigger)],
    ["asked by", approval.source],
    ["asks", isOpen ? chainOf(approval) : null],
    ["answers", quorum < 2 ? null : `${answers.length} of ${quorum}${by(approval)}`],
    ["you", !isOpen || right === null ? null : rightText(right)],
    ["assigned to", approval.assignee === null ? null : oneLine(approval.assignee)],
    ["status", status],
    ["asked", formatWhen(approval.requestedAt, now)],
    ["expires", isOpen ? formatWhen(approval.expiresAt, now) : null],
    ["choices", isOpen ? approval.choices.join(", ") : null],
    ["answer", approval.decision],
    ["by", approval.resolvedBy],
    ["reason", reason === null || reason === undefined ? null : oneLine(reason)],
  ]);
}

function by({ answers }: Approval): string {
  return answers.length === 0 ? "" : ` (${answers.map((answer) => oneLine(answer.by)).join(", ")})`;
}

function rightText({ mayAnswer, mayOverride, message }: AnswerRight): string {
  if (mayAnswer) return "may answer";
  return `may not answer: ${oneLine(message ?? "")}${mayOverride ? " Add --override --reason TEXT to answer nevertheless." : ""}`;
}

function printSubject(print: Sections, subject: Subject, { source, choices }: Approval): void {
  const { shown, call, answers, args, parents, policies, agent, costMicros, estimateMicros } = subject;
  if (call === undefined) printRequest(print, subject);
  else {
    const [what = "", ...said] = callSections(call, isOutcomeUnknown(choices));
    print.section("What exactly will happen", what);
    for (const words of said) print.section("What the model said before it", words);
  }
  for (const each of shown) print.section(each.label, shownLines(each));
  print.section("What each answer does", answers.map(({ decision, effect }) => `${decision}: ${effect}`).join("\n"));
  const estimate = estimateMicros === null ? "" : `; this step is estimated at ${formatCost(estimateMicros)}`;
  print.section(
    "Why it is asked",
    [
      call !== undefined && isOutcomeUnknown(choices) ? OUTCOME_UNKNOWN : SOURCE_TEXTS[source],
      ...policies.map(({ name, reason }) => `${name}: ${reason}`),
      ...(agent === null ? [] : [`agent ${agent.id}${agent.trust === null ? "" : `, trust ${agent.trust}`}`]),
      `The run has cost ${formatCost(costMicros)} so far${estimate}.`,
    ].join("\n"),
  );
  const given = Object.entries(args).map(([name, value]) => `${name}: ${shownText(value)}`);
  if (given.length > 0) print.section("Args of the run", given.join("\n"));
  for (const [nodeId, outputs] of Object.entries(parents)) {
    const lines = Object.entries(outputs).map(([name, value]) => `${name}: ${shownText(value)}`);
    if (lines.length > 0) print.section(`What ${nodeId} gave`, lines.join("\n"));
  }
}

function printRequest(print: Sections, subject: Subject): void {
  const { request } = subject;
  if (request === null) return print.section("What exactly will happen", withoutRequest(subject));
  const inputs = Object.entries(request.inputs).map(([name, value]) => `${name}: ${shownText(value)}`);
  print.section("What exactly will happen", requestText(request).sentence);
  print.part(withNote(request.message));
  if (request.stdin !== null) print.part(`standard input:\n${withNote(request.stdin)}`);
  if (inputs.length > 0) print.part(`inputs:\n${inputs.join("\n")}`);
  if (request.tools.length > 0) print.part(`tools: ${request.tools.join(", ")}`);
}

/** Returns the text of a call with its args, and the model's text before it unless that is empty. */
export function callSections(call: NonNullable<Subject["call"]>, isUnknown: boolean): readonly string[] {
  const args = Object.entries(call.args).map(([name, value]) => `  ${name}: ${withNote(value)}`);
  const words = withNote(call.words);
  const what = [callText(call, isUnknown), ...(args.length === 0 ? ["It has no args."] : args)];
  return [what.join("\n"), ...(words.trim() === "" ? [] : [words])];
}

function shownLines({ kind, value, before, after }: Shown): string {
  if (kind === "diff") return diffText(shownText(before), shownText(after));
  if (value === undefined || value === null) return NOTHING_SHOWN;
  const table = kind === "table" ? shownTable(value) : null;
  if (table !== null) return formatTable([table.head, ...table.rows].map((row) => row.map(oneLine)));
  if (kind === "image" || kind === "file") return dataText(shownText(value));
  return withNote(value);
}

const DATA_SHOWN = 120;

/** Shortens text that is not readable, and appends its length. */
function dataText(text: string): string {
  return text.length <= DATA_SHOWN ? text : `${text.slice(0, DATA_SHOWN)}… (${text.length} characters)`;
}

function withNote(value: unknown): string {
  const large = largeValueOf(value);
  if (large === null) return shownText(value);
  return `${large.preview}\n… only the beginning of ${large.$ref}: it has ${large.bytes} bytes (SHA-256 ${large.sha256})`;
}

/** Prints headings with indented text. Control characters are replaced, so that the text cannot move the cursor. */
class Sections {
  readonly #io: Io;

  constructor(io: Io) {
    this.#io = io;
  }

  section(title: string, text: string): void {
    const paint = createPaint(this.#io.out, this.#io.env);
    this.#io.out.write(`\n${paint("bold", oneLine(title))}\n`);
    this.part(text);
  }

  part(text: string): void {
    for (const line of printable(text).replace(/\n$/, "").split("\n")) this.#io.out.write(`  ${line}\n`);
  }
}
