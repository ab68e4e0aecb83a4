import { isJsonArray, isJsonObject, type Json, type JsonObject, sameJson } from "../base/index.ts";
import type { ApprovalSource, Decision, LargeValue, Shown, Subject } from "../event/index.ts";

/** Reason for an approval, shown to the approver. */
export const SOURCE_TEXTS: Readonly<Record<ApprovalSource, string>> = {
  gate: "The workflow asks for approval at this step.",
  policy: "A policy holds this until a person approves.",
  escalation: "It failed, and the workflow asks a person what to do.",
  tool: "An agent wants to call a tool, and the call is held until a person approves.",
  block:
    "It cannot continue by itself: a value is missing, or no agent may take it. Give it what it needs on the run's page.",
};

/** Reason shown for a call that may already have been made. */
export const OUTCOME_UNKNOWN =
  "An agent was lost while it called a tool, and only a person can find out what became of it.";

export const NOTHING_SENT = "Nothing is sent: the answer itself is the result, and the run continues with it.";

/** Shown in place of a value that the author chose to show and that no node has given. */
export const NOTHING_SHOWN = "Nothing";

/** Describes what happens after an approval whose subject has no request: what the answer starts, or that nothing is sent. */
export function withoutRequest({
  answers,
}: {
  readonly answers: readonly Readonly<Subject["answers"][number]>[];
}): string {
  const [effect] = answers.flatMap(({ decision, effect: text }) =>
    decision === "approve" || decision === "retry" ? [text] : [],
  );
  return effect === undefined || effect.includes("Nothing is sent") ? NOTHING_SENT : effect;
}

/** Returns the reference that replaces a value too large to be shown. Null when the value itself is present. */
export function largeValueOf(value: unknown): LargeValue | null {
  if (!isJsonObject(value as Json)) return null;
  const { $ref, bytes, sha256, preview } = value as Record<string, unknown>;
  const isLarge =
    typeof $ref === "string" && typeof bytes === "number" && typeof sha256 === "string" && typeof preview === "string";
  return isLarge ? { $ref, bytes, sha256, preview } : null;
}

/** Formats a value as text. A text stays unchanged; a large value is represented by its beginning. */
export function shownText(value: unknown): string {
  const large = largeValueOf(value);
  if (large !== null) return large.preview;
  return typeof value === "string" ? value : JSON.stringify(value ?? null, null, 2);
}

/** Describes what is sent after the approval, in the terms of the receiving adapter. */
export interface RequestText {
  readonly sentence: string;
  /** Heading above the exact text. */
  readonly heading: string;
}

/** Describes a request according to its adapter. */
export function requestText({
  provider,
  model,
  message,
}: Pick<NonNullable<Subject["request"]>, "provider" | "model" | "message">): RequestText {
  const [first = ""] = shownText(message).trim().split(/\s/, 1);
  switch (provider) {
    case "process":
      return {
        sentence: `The gateway runs the program it has configured as “${first}”, with exactly this command line and input.`,
        heading: "Command line",
      };
    case "http":
      return { sentence: "An HTTP request is sent to this address, with these inputs.", heading: "Address" };
    case "mcp":
      return { sentence: `The tool ${first} is called with exactly these inputs.`, heading: "Tool" };
    default: {
      const receiver = [model, provider].filter((name) => name !== null).join(" by ");
      const to = receiver === "" ? "the default adapter" : receiver;
      return { sentence: `Exactly this message is sent to ${to}.`, heading: "Message" };
    }
  }
}

/** Returns whether a shown value repeats an input that is sent. All bound values are shown unless the author chose some. */
export function isSentInput(
  { kind, label, value }: Pick<Shown, "kind" | "label" | "value">,
  { request }: { readonly request: Pick<NonNullable<Subject["request"]>, "inputs"> | null },
): boolean {
  const sent = request !== null && Object.hasOwn(request.inputs, label) ? request.inputs[label] : undefined;
  return kind === "value" && sent !== undefined && sameJson(sent, value ?? null);
}

const SHORT_LENGTH = 120;

/** Returns whether a value fits into one line of a table. */
export function isShortValue(value: unknown): boolean {
  const text = shownText(value);
  return largeValueOf(value) === null && text.length <= SHORT_LENGTH && !text.includes("\n");
}

/** Shown values, with adjacent short values grouped as one table. */
export type ShownGroup<One> =
  | { readonly kind: "short"; readonly values: JsonObject }
  | { readonly kind: "one"; readonly shown: One };

export function shownGroups<One extends Pick<Shown, "kind" | "label"> & { readonly value?: Json | undefined }>(
  shown: readonly One[],
): readonly ShownGroup<One>[] {
  const groups: ShownGroup<One>[] = [];
  for (const one of shown) {
    const last = groups.at(-1);
    const isShort = one.kind === "value" && isShortValue(one.value);
    if (!isShort) groups.push({ kind: "one", shown: one });
    else if (last?.kind === "short" && !Object.hasOwn(last.values, one.label)) {
      groups[groups.length - 1] = { kind: "short", values: { ...last.values, [one.label]: one.value ?? null } };
    } else groups.push({ kind: "short", values: { [one.label]: one.value ?? null } });
  }
  return groups;
}

/** Returns whether the approver of a call is asked about its outcome. */
export function isOutcomeUnknown(choices: readonly Decision[]): boolean {
  return choices.includes("retry");
}

/** Describes a tool call in an approval. `isUnknown`: the call may already have been made. */
export function callText({ tool, server, action }: NonNullable<Subject["call"]>, isUnknown: boolean): string {
  const name = server === null ? tool : `${tool} of the server ${server}`;
  return isUnknown
    ? `The tool ${name} may or may not have been called with these args: it never reported, and may be called at most once.`
    : `The tool ${name} is called with exactly these args. Its kind is ${action}.`;
}

/** Returns the args that are shown cut or hidden. They cannot be sent back as shown. */
export function argsNotWhole(args: JsonObject): readonly string[] {
  return Object.entries(args)
    .filter(([, value]) => largeValueOf(value) !== null || JSON.stringify(value).includes("[hidden: "))
    .map(([name]) => name);
}

/** Returns the values that a person may change: inputs and other values a step reads, as far as they are shown in full. */
export function changeableInputs(
  subject: {
    readonly request: Pick<NonNullable<Subject["request"]>, "inputs" | "reads"> | null;
    readonly reads?: Subject["reads"];
  } | null,
): JsonObject {
  const { inputs = {}, reads = {} } = subject?.request ?? { reads: subject?.reads };
  // A large set of inputs is cut as a whole.
  const values = largeValueOf(inputs) === null ? { ...reads, ...inputs } : reads;
  const cut = new Set(argsNotWhole(values));
  return Object.fromEntries(Object.entries(values).filter(([name]) => !cut.has(name)));
}

export interface ShownTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Returns a list of objects or lists as a table. Null when the value is neither. */
export function shownTable(value: unknown): ShownTable | null {
  if (!isJsonArray(value as Json) || (value as readonly Json[]).length === 0) return null;
  const list = value as readonly Json[];
  if (list.every(isJsonObject)) {
    const head = [...new Set(list.flatMap((row) => Object.keys(row)))];
    return { head, rows: list.map((row) => head.map((name) => cellText(row[name]))) };
  }
  if (!list.every(isJsonArray)) return null;
  const width = list.reduce((widest, row) => Math.max(widest, row.length), 0);
  const head = Array.from({ length: width }, (_, index) => String(index + 1));
  return { head, rows: list.map((row) => head.map((_, index) => cellText(row[index]))) };
}

function cellText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
