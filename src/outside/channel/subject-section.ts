import { isJsonArray, isJsonObject, type Json, type JsonObject, jsonToText, sameJson } from "../../core/base/index.ts";
import type { LargeValue, Shown, Subject } from "../../core/event/index.ts";
import { usdText } from "../../core/governance/index.ts";
import { diffText } from "../../core/text/index.ts";
import {
  callText,
  isOutcomeUnknown,
  largeValueOf,
  NOTHING_SENT,
  OUTCOME_UNKNOWN,
  requestText,
  shownTable,
  SOURCE_TEXTS,
} from "../../core/view/index.ts";
import type { ApprovalRecord } from "../../store/index.ts";

/** A part of what an approval is about, for any page or message. */
export interface SubjectSection {
  readonly label: string;
  readonly kind: "text" | "markdown" | "table";
  readonly text: string;
  /** Of a table: its head, then its rows; of named values there is no head. */
  readonly rows: readonly (readonly string[])[];
}

type Asked = Pick<ApprovalRecord, "source" | "choices">;

/** Everything a person is shown, in the order and the words of the console: the decisive first. */
export function sectionsOf(subject: Subject, asked: Asked): readonly SubjectSection[] {
  const { shown, call, args, parents, answers } = subject;
  return [
    ...(call === undefined ? requestSections(subject.request) : callSections(call, asked)),
    ...shown.filter((item) => !isInput(item, subject)).map(shownSection),
    textSection(ANSWERS_LABEL, answers.map((one) => `${one.decision}: ${one.effect}`).join("\n")),
    textSection("Why it is asked", reasonsOf(subject, asked).join("\n")),
    valuesSection("Args of the run", args),
    ...Object.entries(parents).map(([id, outputs]) => valuesSection(`What ${id} gave`, outputs)),
  ].filter(({ text, rows }) => text !== "" || rows.length > 0);
}

function reasonsOf(subject: Subject, { source, choices }: Asked): readonly string[] {
  const { workflow, version, startedBy, trigger, policies, agent, costMicros, estimateMicros, call } = subject;
  const estimate = estimateMicros === null ? "" : `; this step is estimated at ${usdText(estimateMicros)} dollars`;
  return [
    call !== undefined && isOutcomeUnknown(choices) ? OUTCOME_UNKNOWN : SOURCE_TEXTS[source],
    ...policies.map(({ name, reason }) => `${name}: ${reason}`),
    `Workflow: ${workflow}${version === null ? "" : ` (version ${version})`}`,
    `Started by: ${startedBy === null ? trigger : `${startedBy} (${trigger})`}`,
    ...(agent === null ? [] : [`Agent: ${agent.id}${agent.trust === null ? "" : `, trust ${agent.trust}`}`]),
    `The run has cost ${usdText(costMicros)} dollars so far${estimate}.`,
  ];
}

/** Left out where it stands beside the buttons. */
export const ANSWERS_LABEL = "What each answer does";
const WILL_HAPPEN = "What exactly will happen";

function requestSections(request: Subject["request"]): readonly SubjectSection[] {
  if (request === null) return [textSection(WILL_HAPPEN, NOTHING_SENT)];
  const { message, stdin, inputs, tools } = request;
  return [
    textSection(WILL_HAPPEN, `${requestText(request).sentence}\n\n${valueText(message)}`),
    ...(stdin === null ? [] : [textSection("Standard input", valueText(stdin))]),
    valuesSection("Inputs", inputs),
    ...(tools.length === 0 ? [] : [textSection("Tools", tools.join(", "))]),
  ];
}

function callSections(call: NonNullable<Subject["call"]>, { choices }: Asked): readonly SubjectSection[] {
  return [
    textSection(WILL_HAPPEN, callText(call, isOutcomeUnknown(choices))),
    Object.keys(call.args).length === 0
      ? textSection("Args of the call", "It has no args.")
      : valuesSection("Args of the call", call.args),
    textSection("What the model said before it", valueText(call.words)),
  ];
}

/** Without a choice of the author's all that is bound is shown; what is sent as an input stands there already. */
function isInput({ kind, label, value }: Shown, { request }: Subject): boolean {
  const sent = request !== null && Object.hasOwn(request.inputs, label) ? request.inputs[label] : undefined;
  return kind === "value" && sent !== undefined && sameJson(sent, value ?? null);
}

function shownSection({ label, kind, value, before, after }: Shown): SubjectSection {
  if (kind === "diff") {
    return textSection(label, diffText(valueText(before ?? null), valueText(after ?? null)));
  }
  const shown = value ?? null;
  const table = kind === "table" ? shownTable(shown) : null;
  if (table !== null) {
    const rows = [table.head, ...table.rows.slice(0, ROWS_MAX)].map((row) => row.slice(0, COLUMNS_MAX));
    return { label, kind: "table", text: "", rows };
  }
  if (kind === "markdown") return { label, kind: "markdown", text: valueText(shown), rows: [] };
  return textSection(label, kind === "image" || kind === "file" ? mediaText(shown) : valueText(shown));
}

/** What no message can show is named; the console shows it. */
function mediaText(value: Json): string {
  if (isJsonObject(value) && typeof value["name"] === "string") {
    const { name, mime, size } = value;
    return `${name} (${valueText(mime ?? "")}, ${valueText(size ?? "")} bytes); the console shows it.`;
  }
  const type = typeof value === "string" ? /^data:([\w.+/-]+)/u.exec(value)?.[1] : undefined;
  return type === undefined ? valueText(value) : `${type}; the console shows it.`;
}

const COLUMNS_MAX = 20;
const ROWS_MAX = 200;

function textSection(label: string, text: string): SubjectSection {
  return { label, kind: "text", text, rows: [] };
}

/** A row for each value. */
function valuesSection(label: string, values: JsonObject): SubjectSection {
  return {
    label,
    kind: "table",
    text: "",
    rows: Object.entries(values).map(([name, value]) => [name, valueText(value)]),
  };
}

function cutText({ preview, bytes }: LargeValue): string {
  return `${preview}… (only the beginning of ${bytes} bytes)`;
}

/** A value for people: text as it is, everything else as JSON. */
export function valueText(value: Json | JsonObject | LargeValue): string {
  const large = largeValueOf(value);
  if (large !== null) return cutText(large);
  if (isJsonObject(value) || isJsonArray(value)) return JSON.stringify(value, replaceLarge, 2);
  return jsonToText(value);
}

function replaceLarge(_key: string, value: unknown): unknown {
  const large = largeValueOf(value);
  return large === null ? value : cutText(large);
}
