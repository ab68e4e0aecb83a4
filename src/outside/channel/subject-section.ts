import { isJsonArray, isJsonObject, type Json, type JsonObject, jsonToText } from "../../core/base/index.ts";
import { type LargeValue, largeValueSchema, type Shown, type Subject } from "../../core/event/index.ts";
import { usdText } from "../../core/governance/index.ts";

/** A part of what an approval is about, for any page or message. */
export interface SubjectSection {
  readonly label: string;
  readonly kind: "text" | "markdown" | "table";
  readonly text: string;
  /** Of a table: its head, then its rows. */
  readonly rows: readonly (readonly string[])[];
}

/** Everything a person is shown: what is asked, what exactly will happen, and why it is asked. */
export function sectionsOf(subject: Subject): readonly SubjectSection[] {
  const { shown, request, args, parents, costMicros, estimateMicros, agent, startedBy, trigger, version } = subject;
  const started = startedBy === null ? trigger : `${startedBy} (${trigger})`;
  const estimate = estimateMicros === null ? "" : `, about ${usdText(estimateMicros)} more`;
  const facts = [
    `Workflow: ${subject.workflow}${version === null ? "" : ` (version ${version})`}`,
    `Started by: ${started}`,
    `Cost so far: ${usdText(costMicros)} dollars${estimate}`,
    ...(agent === null ? [] : [`Agent: ${agent.id}${agent.trust === null ? "" : `, trust ${agent.trust}`}`]),
  ];
  return [
    ...shown.map(shownSection),
    ...requestSections(request),
    ...(Object.keys(args).length === 0 ? [] : [textSection("Args", valueText(args))]),
    ...Object.entries(parents).map(([id, outputs]) => textSection(`Result of ${id}`, valueText(outputs))),
    textSection("About", facts.join("\n")),
    textSection("What each answer does", subject.answers.map((one) => `${one.decision}: ${one.effect}`).join("\n")),
  ].filter(({ text, rows }) => text !== "" || rows.length > 0);
}

function requestSections(request: Subject["request"]): readonly SubjectSection[] {
  const label = "What exactly will happen";
  if (request === null) return [textSection(label, "Nothing is sent.")];
  const { provider, model, message, stdin, inputs, tools } = request;
  const to = [provider, model].filter((part) => part !== null).join(" ");
  return [
    textSection(label, `${to === "" ? "This is sent" : `This is sent to ${to}`}:\n\n${largeText(message)}`),
    ...(stdin === null ? [] : [textSection("Standard input", largeText(stdin))]),
    ...(Object.keys(inputs).length === 0 ? [] : [textSection("Inputs", valueText(inputs))]),
    ...(tools.length === 0 ? [] : [textSection("Tools", tools.join(", "))]),
  ];
}

function shownSection({ label, kind, value, before, after }: Shown): SubjectSection {
  if (kind === "diff") {
    return textSection(label, `Before:\n${valueText(before ?? null)}\n\nAfter:\n${valueText(after ?? null)}`);
  }
  const shown = value ?? null;
  if (kind === "table") {
    const rows = rowsOf(shown);
    if (rows !== null) return { label, kind: "table", text: "", rows };
  }
  if (kind === "markdown") return { label, kind: "markdown", text: valueText(shown), rows: [] };
  return textSection(label, kind === "image" ? `[image] ${valueText(shown)}` : valueText(shown));
}

function textSection(label: string, text: string): SubjectSection {
  return { label, kind: "text", text, rows: [] };
}

const COLUMNS_MAX = 20;
const ROWS_MAX = 200;

/** Rows of equal maps, or of lists; null: it is no table. */
function rowsOf(value: Json): readonly (readonly string[])[] | null {
  if (!isJsonArray(value) || value.length === 0) return null;
  const rows = value.slice(0, ROWS_MAX);
  if (rows.every(isJsonArray)) return rows.map((row) => row.slice(0, COLUMNS_MAX).map(valueText));
  const maps = rows.filter(isJsonObject);
  if (maps.length < rows.length) return null;
  const columns = [...new Set(maps.flatMap((row) => Object.keys(row)))].slice(0, COLUMNS_MAX);
  return [columns, ...maps.map((row) => columns.map((column) => valueText(row[column] ?? "")))];
}

function largeText(value: string | LargeValue): string {
  return typeof value === "string" ? value : cutText(value);
}

function cutText({ preview, bytes }: LargeValue): string {
  return `${preview}… (only the beginning of ${bytes} bytes)`;
}

/** A value for people: text as it is, everything else as JSON. */
export function valueText(value: Json | JsonObject): string {
  const large = largeValueSchema.safeParse(value);
  if (large.success) return cutText(large.data);
  if (isJsonObject(value) || isJsonArray(value)) return JSON.stringify(value, replaceLarge, 2);
  return jsonToText(value);
}

function replaceLarge(_key: string, value: unknown): unknown {
  const large = largeValueSchema.safeParse(value);
  return large.success ? cutText(large.data) : value;
}
