import { isJsonArray, isJsonObject, type Json, type JsonObject, jsonToText } from "../../core/base/index.ts";
import type { LargeValue, Shown, Subject } from "../../core/event/index.ts";
import { usdText } from "../../core/governance/index.ts";
import { diffText, plainText } from "../../core/text/index.ts";
import {
  callText,
  isOutcomeUnknown,
  isSentInput,
  largeValueOf,
  NOTHING_SHOWN,
  OUTCOME_UNKNOWN,
  requestText,
  shownGroups,
  shownTable,
  SOURCE_TEXTS,
  withoutRequest,
} from "../../core/view/index.ts";
import type { ApprovalRecord } from "../../store/index.ts";

/** One section of the subject of an approval, for any page or message. */
export interface SubjectSection {
  readonly label: string;
  /** `prose` is text of Sluice itself, one line per sentence; `text` must be shown unchanged. */
  readonly kind: "prose" | "text" | "markdown" | "table";
  readonly text: string;
  /** Rows of a table: the head first, then the content. Named values have no head. */
  readonly rows: readonly (readonly string[])[];
  /** Set when other sections usually suffice for the answer. Such a section comes last, folded where the format allows it. */
  readonly isBackground?: true;
}

type Asked = Pick<ApprovalRecord, "source" | "choices">;

/** Returns everything the person is shown, in the order and the words of the console: the decisive sections first. */
export function sectionsOf(subject: Subject, asked: Asked): readonly SubjectSection[] {
  const { request, call, args, parents, answers } = subject;
  const shown = subject.shown.filter((item) => !isSentInput(item, subject));
  const background = shown.length > 0 || request !== null || call !== undefined ? { isBackground: true as const } : {};
  return [
    ...(call === undefined ? requestSections(subject) : callSections(call, asked)),
    ...shownGroups(shown).map((group) =>
      group.kind === "short" ? valuesSection(ABOUT, group.values) : shownSection(group.shown),
    ),
    proseSection(ANSWERS_LABEL, answers.map(({ decision, effect }) => `${capital(decision)}: ${effect}`).join("\n")),
    proseSection("Why it is asked", reasonsOf(subject, asked).join("\n")),
    valuesSection("Args of the run", args),
    ...Object.entries(parents).map(([id, outputs]) => ({
      ...valuesSection(`What ${id} gave`, outputs),
      ...background,
    })),
  ]
    .filter(({ text, rows }) => text !== "" || rows.length > 0)
    .map(visible);
}

/** Shows characters that would change how the person reads the rest. */
function visible(section: SubjectSection): SubjectSection {
  const { label, text, rows } = section;
  return { ...section, label: plainText(label), text: plainText(text), rows: rows.map((row) => row.map(plainText)) };
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

/** Omitted where the answers are already shown beside the buttons. */
export const ANSWERS_LABEL = "What each answer does";
const ABOUT = "What it is about";
const WILL_HAPPEN = "What exactly will happen";

function requestSections(subject: Subject): readonly SubjectSection[] {
  const { request } = subject;
  if (request === null) return [proseSection(WILL_HAPPEN, withoutRequest(subject))];
  const { message, stdin, inputs, tools } = request;
  const { sentence, heading } = requestText(request);
  return [
    proseSection(WILL_HAPPEN, sentence),
    textSection(heading, valueText(message)),
    ...(stdin === null ? [] : [textSection("Standard input", valueText(stdin))]),
    valuesSection("Inputs", inputs),
    ...(tools.length === 0 ? [] : [proseSection("Tools", tools.join(", "))]),
  ];
}

function callSections(call: NonNullable<Subject["call"]>, { choices }: Asked): readonly SubjectSection[] {
  return [
    proseSection(WILL_HAPPEN, callText(call, isOutcomeUnknown(choices))),
    Object.keys(call.args).length === 0
      ? proseSection("Args of the call", "It has no args.")
      : valuesSection("Args of the call", call.args),
    textSection("What the model said before it", valueText(call.words)),
  ];
}

function shownSection({ label, kind, value, before, after }: Shown): SubjectSection {
  if (kind === "diff") {
    return textSection(label, diffText(valueText(before ?? null), valueText(after ?? null)));
  }
  const shown = value ?? null;
  if (shown === null) return proseSection(label, NOTHING_SHOWN);
  const table = kind === "table" ? shownTable(shown) : null;
  if (table !== null) {
    const rows = [table.head, ...table.rows.slice(0, ROWS_MAX)].map((row) => row.slice(0, COLUMNS_MAX));
    return { label, kind: "table", text: "", rows };
  }
  if (kind === "markdown") return { label, kind: "markdown", text: valueText(shown), rows: [] };
  return textSection(label, kind === "image" || kind === "file" ? mediaText(shown) : valueText(shown));
}

/** Names media that no message can show; the console shows it. */
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

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function proseSection(label: string, text: string): SubjectSection {
  return { label, kind: "prose", text, rows: [] };
}

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

/** Formats a value for people: text unchanged, everything else as JSON. */
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
