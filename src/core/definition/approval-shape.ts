import { isJsonObject, type Outcome, succeed, type TreePath } from "../base/index.ts";
import { parsePath, type SyntaxProblem } from "../expression/index.ts";
import { SHOWN_KINDS, type ShownKind } from "../event/index.ts";
import { parseStepTemplate, type StepTemplate } from "../template/index.ts";
import type { Approver, ShowItem } from "./definition.ts";
import { mandatory, optional, record } from "./record.ts";
import type { Report } from "./report.ts";
import {
  anyText,
  byKind,
  joinWords,
  list,
  located,
  type Located,
  nameOf,
  number,
  refine,
  type Shape,
  word,
} from "./shape.ts";
import { duration, reportFlaw } from "./text-shape.ts";

const WHO = "role:name, team:name, user:name or key:name";

/** Spaces are allowed, because a user may be an issuer and a subject, and a key may have any label. */
const who = word({
  expected: WHO,
  code: "bad_name",
  pattern: /^(?:(?:role|team):\S+|(?:user|key):\S(?:.*\S)?)$/,
  fix: (text) => {
    const [, kind = "role", name = text] = /^(role|team|user|key):\s*(\S.*)$/.exec(text) ?? [];
    return `${kind}:${joinWords(name, "-")}`;
  },
});

export const approver = byKind<Approver>(`${WHO}, or a map`, {
  text: refine(who, (name) => ({ who: name, withinMs: null })),
  map: refine(
    record(
      {
        who: mandatory(who, `Approver: ${WHO}.`),
        within: optional(
          duration,
          "Time after which the next approver in the chain is asked as well. Default: the next is asked at once.",
        ),
      },
      { title: "an approver" },
    ),
    (raw) => ({ who: raw.who ?? "", withinMs: raw.within ?? null }),
  ),
});

export const QUORUM_MAX = 20;

export const quorum = number({
  isInteger: true,
  min: 1,
  max: QUORUM_MAX,
  expected: `a whole number from 1 to ${QUORUM_MAX}`,
});

/** A text that is a path is replaced by its value. Any other text is a template. */
const shownText: Shape<StepTemplate> = refine(anyText, (text, path, report) => {
  const parsed = templateOf(text);
  if (parsed.ok) return parsed.value;
  reportFlaw("bad_template", parsed.failure, path, report);
  return undefined;
});

function templateOf(text: string): Outcome<StepTemplate, SyntaxProblem> {
  const path = parsePath(text);
  return path.ok ? succeed({ text, parts: [path.value] }) : parseStepTemplate(text);
}

const pair: Shape<readonly StepTemplate[]> = refine(list(shownText), (texts, path, report) => {
  if (texts.length === 2) return texts;
  const message = `${nameOf(path)} must be two texts or references: what it was, and what it is.`;
  report.problem("wrong_type", path, message, { hint: "Write diff: [before, after]." });
  return undefined;
});

type ValueKind = Exclude<ShownKind, "diff">;

const ITEM = {
  label: optional(anyText, "Heading above the value."),
  value: optional(shownText, "Value, shown in the form that suits its type."),
  text: optional(shownText, "Value, shown as plain text."),
  markdown: optional(shownText, "Text, shown as Markdown."),
  table: optional(shownText, "List of maps, shown as a table."),
  image: optional(shownText, "Address of an image, or a data URL."),
  file: optional(shownText, "File: a name and its content, or an address."),
  diff: optional(pair, "Two values, shown as the changes from the first to the second."),
};

/** A shown item with the paths of its texts, at which its references are checked. */
export interface ReadShowItem {
  readonly item: ShowItem;
  readonly texts: readonly { readonly template: StepTemplate; readonly at: TreePath }[];
}

export const showItem = byKind<ReadShowItem>("a reference, a text or a map", {
  text: refine(shownText, (template, path) => ({
    item: { kind: "value", label: null, value: template },
    texts: [{ template, at: path }],
  })),
  map: refine(located(record(ITEM, { title: "something to show" })), itemOf),
});

type RawItem = Partial<Record<ValueKind, StepTemplate | undefined>> & {
  readonly label?: string | undefined;
  readonly diff?: readonly StepTemplate[] | undefined;
};

function itemOf(
  { read: raw, raw: written }: Located<RawItem>,
  path: TreePath,
  report: Report,
): ReadShowItem | undefined {
  const kinds = SHOWN_KINDS.filter((kind) => Object.hasOwn(raw, kind));
  const [kind] = kinds;
  // An unknown key has been reported already.
  if (kind === undefined && isJsonObject(written) && Object.keys(written).some((key) => key !== "label"))
    return undefined;
  if (kind === undefined || kinds.length > 1) {
    const message =
      kind === undefined
        ? `${nameOf(path)} says nothing to show.`
        : `${nameOf(path)} shows one thing, but it has ${kinds.join(" and ")}.`;
    const code = kind === undefined ? "missing_field" : "conflicting_fields";
    report.problem(code, path, message, { hint: `Write one of ${SHOWN_KINDS.join(", ")}.` });
    return undefined;
  }
  const label = raw.label ?? null;
  if (kind === "diff") {
    const [before, after] = raw.diff ?? [];
    if (before === undefined || after === undefined) return undefined;
    const texts = [before, after].map((template, index) => ({ template, at: [...path, "diff", index] }));
    return { item: { kind, label, before, after }, texts };
  }
  const value = raw[kind];
  return value === undefined
    ? undefined
    : { item: { kind, label, value }, texts: [{ template: value, at: [...path, kind] }] };
}
