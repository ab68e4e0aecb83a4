import {
  fail,
  getOwn,
  isJsonObject,
  jsonToText,
  succeed,
  type Json,
  type Outcome,
  type ProblemCode,
  type TreePath,
  type WarningCode,
} from "../base/index.ts";
import { findUnstorable } from "../text/index.ts";
import type { Lens, LensVersion } from "./definition.ts";
import {
  LENS_FIELD_TYPES,
  type InputContract,
  type LensField,
  type LensFieldType,
  type OutputContract,
} from "./field.ts";
import { mandatory, optional, record, type Reading } from "./record.ts";
import { Report } from "./report.ts";
import { flag, list, located, mapOf, nameOf, number, refine, choice, byKind, anyText, type Shape } from "./shape.ts";
import { givenName, lensText, patternText } from "./text-shape.ts";

const scalarAsText = byKind<string>("text, a number, or true or false", {
  text: anyText,
  number: { read: jsonToText, schema: { type: "number" } },
  flag: { read: jsonToText, schema: { type: "boolean" } },
});
const length = number({ isInteger: true, min: 0, expected: "a whole number, 0 or more" });
const bound = number({ expected: "a number" });
const lensFieldType = choice(LENS_FIELD_TYPES);

const LENS_FIELD = {
  type: mandatory(lensFieldType, "Type of the value."),
  required: optional(flag, "Whether the value is required.", { default: false }),
  min: optional(bound, "Smallest allowed number."),
  max: optional(bound, "Largest allowed number."),
  min_length: optional(length, "Minimum number of characters."),
  max_length: optional(length, "Maximum number of characters."),
  pattern: optional(patternText, "Regular expression (RE2 syntax) that the text must match."),
  item_type: optional(lensFieldType, "Type of all elements of an array."),
  enum: optional(list(scalarAsText), "Allowed values."),
};

/** `any` accepts every constraint, because the value may be of any type. */
const FITTING = {
  min: ["number", "integer", "any"],
  max: ["number", "integer", "any"],
  min_length: ["string", "url", "any"],
  max_length: ["string", "url", "any"],
  pattern: ["string", "url", "any"],
  item_type: ["array", "any"],
  enum: ["string", "url", "number", "integer", "boolean", "any"],
} as const satisfies Readonly<Record<string, readonly LensFieldType[]>>;
const FITTING_ENTRIES = Object.entries(FITTING) as [keyof typeof FITTING, readonly LensFieldType[]][];

const lensField: Shape<LensField> = refine(
  record(LENS_FIELD, { title: "a contract field", isCamelAccepted: true }),
  (raw, path, report) => {
    if (raw.type === undefined) return undefined;
    checkField(raw, raw.type, path, report);
    return {
      type: raw.type,
      required: raw.required ?? false,
      ...(raw.min === undefined ? {} : { min: raw.min }),
      ...(raw.max === undefined ? {} : { max: raw.max }),
      ...(raw.min_length === undefined ? {} : { minLength: raw.min_length }),
      ...(raw.max_length === undefined ? {} : { maxLength: raw.max_length }),
      ...(raw.pattern === undefined ? {} : { pattern: raw.pattern }),
      ...(raw.item_type === undefined ? {} : { itemType: raw.item_type }),
      ...(raw.enum === undefined ? {} : { enum: raw.enum }),
    };
  },
);

function checkField(raw: Reading<typeof LENS_FIELD>, type: LensFieldType, path: TreePath, report: Report): void {
  for (const [key, fitting] of FITTING_ENTRIES) {
    if (raw[key] === undefined || fitting.includes(type)) continue;
    const hint = `It fits ${fitting.join(", ")}.`;
    report.problem("conflicting_fields", [...path, key], `"${key}" says nothing about a value of type ${type}.`, {
      hint,
    });
  }
  if (raw.enum?.length === 0) {
    report.problem("bad_enum", [...path, "enum"], `"enum" is empty, so no value could ever fit.`);
  }
  for (const [low, high] of [["min", "max"] as const, ["min_length", "max_length"] as const]) {
    const [least, most] = [raw[low], raw[high]];
    if (least === undefined || most === undefined || least <= most) continue;
    report.problem("bad_number", [...path, low], `"${low}" (${least}) is above "${high}" (${most}).`);
  }
}

/** Returns the labels of inputs that are explicitly optional. */
export function optionalLabels(fields: Json | undefined): readonly string[] {
  const entries = fields !== undefined && isJsonObject(fields) ? Object.entries(fields) : [];
  return entries.flatMap(([label, field]) =>
    isJsonObject(field) && getOwn(field, "required") === false ? [label] : [],
  );
}

const inputContract: Shape<InputContract> = refine(
  record(
    {
      kind: mandatory(givenName, "Kind of the lens."),
      fields: mandatory(located(mapOf(lensField)), "Input fields of the lens, by label."),
      require_any_of: optional(
        list(list(givenName)),
        "Groups of fields. At least one field of each group is required.",
      ),
      strict: optional(flag, "Whether undeclared fields are refused.", { default: false }),
    },
    { title: "an input contract", isCamelAccepted: true, isNullAbsent: true },
  ),
  (raw) => {
    const optional = optionalLabels(raw.fields?.raw);
    return {
      kind: raw.kind ?? "",
      fields: raw.fields?.read ?? {},
      ...(optional.length === 0 ? {} : { optional }),
      requireAnyOf: raw.require_any_of ?? [],
      isStrict: raw.strict ?? false,
    };
  },
);

const outputContract: Shape<OutputContract> = refine(
  record(
    {
      kind: mandatory(givenName, "Kind of the result."),
      artifact_kind: mandatory(givenName, "Kind of the artifact."),
      schema: optional(mapOf(lensField), "Fields of the data in the result."),
      tokens: optional(list(givenName), "Names under which other nodes may read the result."),
    },
    { title: "an output contract", isCamelAccepted: true, isNullAbsent: true },
  ),
  (raw) => ({
    kind: raw.kind ?? "",
    artifactKind: raw.artifact_kind ?? "",
    schema: raw.schema ?? {},
    tokens: raw.tokens ?? [],
  }),
);

const lensVersion: Shape<LensVersion> = refine(
  record(
    {
      id: mandatory(givenName, "Id of the version."),
      template_body: mandatory(lensText, "Prompt, with [[label]] tokens."),
      input_contract: optional(inputContract, "Inputs of the lens."),
      output_contract: optional(outputContract, "Outputs of the lens."),
      required_tools: optional(list(givenName), "Tools that the lens requires."),
      required_tier: optional(choice(["basic", "standard", "advanced"]), "Minimum model tier."),
      role_tag: optional(givenName, "Preferred role for the lens."),
    },
    { title: "a lens version", isNullAbsent: true },
  ),
  (raw) => {
    if (raw.id === undefined || raw.template_body === undefined) return undefined;
    return {
      id: raw.id,
      templateBody: raw.template_body,
      inputContract: raw.input_contract ?? null,
      outputContract: raw.output_contract ?? null,
      requiredTools: raw.required_tools ?? [],
      requiredTier: raw.required_tier ?? null,
      roleTag: raw.role_tag ?? null,
    };
  },
);

const lensShape = record(
  {
    id: optional(givenName, "Id of the lens. Default: the name of the entry."),
    versions: mandatory(list(located(lensVersion), { isFilled: true }), "Versions of the lens, oldest first."),
    allow_secret_literals: optional(flag, "Allows texts that look like secrets.", { default: false }),
  },
  { title: "a lens" },
);

export interface LensProblem {
  readonly path: TreePath;
  readonly code: ProblemCode | WarningCode;
  readonly message: string;
  readonly hint?: string;
}

/** Parses the spec of a lens. Reports all problems at once. */
export function parseLens(name: string, spec: Json): Outcome<Lens, readonly LensProblem[]> {
  const report = new Report();
  for (const path of findUnstorable(spec)) {
    report.problem("text_unstorable", path, `${nameOf(path)} holds a character that cannot be stored.`);
  }
  const lens = readLens(name, spec, [], report);
  if (report.problems.length === 0) return succeed(lens);
  return fail(
    report.problems.map(({ path, code, message, hint }) => {
      const words = typeof hint === "function" ? hint() : hint;
      return { path, code, message, ...(words === undefined ? {} : { hint: words }) };
    }),
  );
}

export function readLens(name: string, spec: Json, path: TreePath, report: Report): Lens {
  const raw = lensShape.read(spec, path, report) ?? {};
  if (raw.id !== undefined && raw.id !== name) {
    const message = `The lens is called "${name}", but its id is "${raw.id}".`;
    report.problem("conflicting_fields", [...path, "id"], message, { hint: "Remove the id." });
  }
  const seen = new Set<string>();
  for (const { read, path: at } of raw.versions ?? []) {
    if (seen.has(read.id)) report.problem("duplicate_id", [...at, "id"], `Version "${read.id}" exists twice.`);
    seen.add(read.id);
  }
  return { id: name, versions: (raw.versions ?? []).map((version) => version.read) };
}
