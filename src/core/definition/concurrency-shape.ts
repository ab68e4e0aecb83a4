/** `concurrency` of a document: the limit of open runs with the same key. */
import { isJsonObject, type Json, LIMITS, type TreePath } from "../base/index.ts";
import { WHEN_FULL, type WhenFull } from "../event/index.ts";
import { parseExpression } from "../expression/index.ts";
import { parseValue, pathsOfValue, type Value, valueStyle } from "../template/index.ts";
import type { ArgField } from "./field.ts";
import { isWritten, optional, record } from "./record.ts";
import type { Report } from "./report.ts";
import { anyJson, byKind, choice, nameOf, number, type Shape } from "./shape.ts";
import { checkStartPath, concurrencyFacts, type StartField } from "./start-fact.ts";
import { CONCURRENCY_WORDS } from "./foreign-word.ts";

export interface Concurrency {
  /** The key. Runs with the same value are counted together. */
  readonly key: Value;
  readonly limit: number;
  readonly whenFull: WhenFull;
}

const RAW = record(
  {
    key: optional(anyJson, "Expression over args and run. Runs with the same value share the limit."),
    limit: optional(
      number({
        isInteger: true,
        min: 1,
        max: LIMITS.concurrentRunsMax,
        expected: `a whole number from 1 to ${LIMITS.concurrentRunsMax}`,
        code: "bad_concurrency",
      }),
      "Maximum number of open runs.",
      { default: 1 },
    ),
    when_full: optional(
      choice(WHEN_FULL),
      "Handling of a new run above the limit: it waits, is cancelled, or replaces the oldest run.",
      { default: "queue" },
    ),
  },
  { title: "concurrency", foreign: CONCURRENCY_WORDS },
);

/** Concurrency as it was read. The key is null when it is invalid, which has been reported. */
export type WrittenConcurrency = Omit<Concurrency, "key"> & { readonly key: Value | null };

export const concurrencyShape: Shape<WrittenConcurrency> = byKind("a map such as { key: customer, limit: 1 }", {
  map: {
    read(value, path, report) {
      const raw = RAW.read(value, path, report);
      if (raw === undefined) return undefined;
      const { limit = 1, when_full: whenFull = "queue" } = raw;
      return { key: keyOf(value, path, report), limit, whenFull };
    },
    schema: { ...RAW.schema, required: ["key"] },
  },
});

/** Returns the concurrency. Null when it is not written, or when its key is invalid. */
export function concurrencyOf(written: WrittenConcurrency | undefined): Concurrency | null {
  return written === undefined || written.key === null ? null : { ...written, key: written.key };
}

const LITERAL = valueStyle(() => false);
const HINT = "Write an expression such as customer, or a text such as deploy-${stage}.";

function keyOf(written: Json, path: TreePath, report: Report): Value | null {
  const at = [...path, "key"];
  const raw = isJsonObject(written) ? written["key"] : undefined;
  if (!isWritten(written, "key") || raw === undefined) {
    report.problem("bad_concurrency", at, `"concurrency" needs "key".`, { at: path, hint: HINT });
    return null;
  }
  if (typeof raw !== "string" || raw.trim() === "") {
    report.problem("bad_concurrency", at, `${nameOf(at)} must be an expression.`, { hint: HINT });
    return null;
  }
  const parsed = raw.includes("${") ? parseValue(raw, LITERAL) : parseExpression(raw);
  if (!parsed.ok) {
    const { message, position: offset } = parsed.failure;
    report.problem("bad_concurrency", at, `${nameOf(at)} cannot be read: ${message}.`, { offset, hint: HINT });
    return null;
  }
  return "root" in parsed.value ? { kind: "expression", expression: parsed.value } : parsed.value;
}

/** Checks the key. It is evaluated before any step runs, so it can use only args and facts of the run. Returns the args it reads. */
export function checkConcurrency(
  written: WrittenConcurrency | undefined,
  args: Readonly<Record<string, ArgField>>,
  report: Report,
): readonly string[] {
  if (written === undefined || written.key === null) return [];
  const facts = concurrencyFacts(args);
  const field: StartField = {
    code: "bad_concurrency",
    at: ["concurrency", "key"],
    hint: (text) => `For a fixed text write '"${text}"'.`,
  };
  return [...pathsOfValue(written.key)].flatMap(({ path }) => checkStartPath(path, facts, field, report));
}
