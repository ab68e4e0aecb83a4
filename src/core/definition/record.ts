import { didYouMean, getOwn, isJsonObject, type Json, type JsonObject, type TreePath } from "../base/index.ts";
import type { ForeignWords } from "./foreign-word.ts";
import type { Report } from "./report.ts";
import { quote, refuseType, type Shape } from "./shape.ts";

export interface Field<T> {
  readonly shape: Shape<T>;
  readonly doc: string;
  readonly isRequired: boolean;
  /** The default in the schema. The code that reads the record applies it. */
  readonly default?: Json;
  /** Another key with the same meaning. It is accepted with a warning. */
  readonly alias?: string;
  /** Whether `null` is a value of this field, even where null otherwise means "not set". */
  readonly keepsNull?: boolean;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** The result of reading a record. A field is absent when it was not written, or when it was invalid and has been reported. */
export type Reading<F extends Fields> = {
  readonly [K in keyof F]?: (F[K] extends Field<infer T> ? T : never) | undefined;
};

/** Returns some of the fields, in the given order of names. */
export function picked<F extends Fields, K extends keyof F & string>(fields: F, names: readonly K[]): Pick<F, K> {
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as Pick<F, K>;
}

type FieldOptions = Pick<Field<unknown>, "default" | "alias" | "keepsNull">;

export function optional<T>(shape: Shape<T>, doc: string, options: FieldOptions = {}): Field<T> {
  return { shape, doc, isRequired: false, ...options };
}

export function mandatory<T>(shape: Shape<T>, doc: string): Field<T> {
  return { shape, doc, isRequired: true };
}

interface RecordRule {
  /** The name of the record in messages, for example "a step". */
  readonly title: string;
  /** Whether camel case is accepted: `maxBackoffMs` for `max_backoff_ms`. */
  readonly isCamelAccepted?: boolean;
  /** Whether null means "not set". Files written by programs often contain such nulls. */
  readonly isNullAbsent?: boolean;
  readonly description?: string;
  /** Keys of other systems, each with a hint about what to write instead. */
  readonly foreign?: ForeignWords;
}

/** A map with a closed list of keys. Reports every unknown key, every missing field and every wrong value at once. */
export function record<F extends Fields>(fields: F, rule: RecordRule): Shape<Reading<F>> {
  const spellings = spellingsOf(fields, rule);
  return {
    read(value, path, report) {
      if (!isJsonObject(value)) return refuseType(path, report, "a map", value);
      const entries: [string, unknown][] = [];
      const written = new Map<string, string>();
      for (const [key, member] of Object.entries(value)) {
        const name = spellings.get(key);
        if (name === undefined) {
          reportUnknown(key, path, report, rule, fields);
          continue;
        }
        const field = fields[name] as Field<unknown>;
        const earlier = written.get(name);
        written.set(name, key);
        if (earlier !== undefined) reportTwice(earlier, key, path, report);
        if (key === field.alias) reportAlias(key, name, path, report);
        if (member === null && rule.isNullAbsent === true && field.keepsNull !== true && !field.isRequired) continue;
        entries.push([name, field.shape.read(member, [...path, key], report)]);
      }
      for (const [name, field] of Object.entries(fields)) {
        if (field.isRequired && !written.has(name)) reportMissing(name, path, report, rule.title);
      }
      return Object.fromEntries(entries) as Reading<F>;
    },
    schema: recordSchema(fields, rule, spellings),
  };
}

/** Returns the path of a field with its key as the author spelled it. */
export function spelledPath(raw: Json | undefined, path: TreePath, name: string): TreePath {
  if (!isJsonObject(raw) || Object.hasOwn(raw, name)) return [...path, name];
  const camel = camelCase(name);
  return [...path, Object.hasOwn(raw, camel) ? camel : name];
}

/** Checks whether the key was written, even with an invalid value. */
export function isWritten(raw: Json | undefined, name: string): boolean {
  return isJsonObject(raw) && getOwn(raw, name) !== undefined;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function spellingsOf(fields: Fields, rule: RecordRule): ReadonlyMap<string, string> {
  const spellings = new Map<string, string>();
  for (const [name, field] of Object.entries(fields)) {
    if (rule.isCamelAccepted === true) spellings.set(camelCase(name), name);
    if (field.alias !== undefined) spellings.set(field.alias, name);
    spellings.set(name, name);
  }
  return spellings;
}

function recordSchema(fields: Fields, rule: RecordRule, spellings: ReadonlyMap<string, string>): JsonObject {
  const properties: [string, Json][] = [];
  for (const [key, name] of spellings) {
    const field = fields[name] as Field<unknown>;
    const isNullable = rule.isNullAbsent === true && !field.isRequired;
    const schema: JsonObject = isNullable ? { anyOf: [field.shape.schema, { type: "null" }] } : field.shape.schema;
    const more: JsonObject = {
      description: key === name ? field.doc : `Another spelling of ${name}.`,
      ...(field.default === undefined ? {} : { default: field.default }),
      ...(key === field.alias ? { deprecated: true } : {}),
    };
    properties.push([key, { ...schema, ...more }]);
  }
  const required = Object.keys(fields).filter((name) => fields[name]?.isRequired);
  return {
    title: rule.title,
    ...(rule.description === undefined ? {} : { description: rule.description }),
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function reportUnknown(key: string, path: TreePath, report: Report, rule: RecordRule, fields: Fields): void {
  const names = Object.keys(fields);
  const hint = (): string | undefined =>
    rule.foreign?.get(key) ??
    didYouMean(key, names) ??
    (names.length <= 12 ? `Known keys: ${names.join(", ")}.` : undefined);
  const message = `${quote(key)} is not a key of ${rule.title}.`;
  report.problem("unknown_key", [...path, key], message, { isAtKey: true, hint });
}

function reportMissing(name: string, path: TreePath, report: Report, title: string): void {
  const message = `${title.charAt(0).toUpperCase()}${title.slice(1)} needs "${name}".`;
  report.problem("missing_field", [...path, name], message, { at: path, hint: `Add "${name}".` });
}

function reportTwice(earlier: string, key: string, path: TreePath, report: Report): void {
  const message = `"${earlier}" and "${key}" mean the same.`;
  report.problem("conflicting_fields", [...path, key], message, { isAtKey: true, hint: "Keep one of them." });
}

function reportAlias(key: string, name: string, path: TreePath, report: Report): void {
  const message = `"${key}" is another word for "${name}".`;
  report.warning("alias_used", [...path, key], message, { isAtKey: true, hint: `Write ${name}.` });
}
