import type { Json, JsonObject } from "../core/base/index.ts";
import { evaluateCondition, type ParsedExpression, parseExpression, walk } from "../core/expression/index.ts";

/** The facts about a run that an erasure condition can use. */
export interface SubjectFacts {
  readonly args: JsonObject;
  readonly labels: Readonly<Record<string, string>>;
  readonly run: {
    readonly id: string;
    readonly workflow: string;
    readonly trigger: string;
    readonly startedBy: string | null;
  };
}

/** Thrown for an expression that cannot select runs. */
export class SubjectRefused extends Error {
  override readonly name = "SubjectRefused";
  readonly code: "bad_expression" | "unknown_fact";
  readonly hint: string;

  constructor(code: SubjectRefused["code"], message: string, hint: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

const RUN_FACTS: ReadonlySet<string> = new Set(["id", "workflow", "trigger", "startedBy"]);
const HINT = `Write a condition on args, labels or run, such as args.customer == "4711" or run.startedBy == "key_1".`;

/** Decides whether facts match the subject; null when the expression cannot be evaluated for them. */
export type IsAbout = (facts: SubjectFacts) => boolean | null;

export function readSubject(text: string): IsAbout {
  const parsed = parseExpression(text);
  if (!parsed.ok) {
    const { message, position, hint } = parsed.failure;
    throw new SubjectRefused(
      "bad_expression",
      `It cannot be read at character ${position + 1}: ${message}.`,
      hint ?? HINT,
    );
  }
  checkPaths(parsed.value);
  return (facts) => {
    const holds = evaluateCondition(parsed.value.root, ({ segments }) => walk(facts as unknown as Json, segments));
    return holds.ok ? holds.value : null;
  };
}

/** Rejects a condition that uses no facts, because it would match every run. */
function checkPaths({ paths }: ParsedExpression): void {
  if (paths.length === 0) throw new SubjectRefused("unknown_fact", "It does not say whose runs are meant.", HINT);
  for (const { segments, text } of paths) {
    const [root, name] = segments;
    const isKnown =
      root === "args" || root === "labels" ? segments.length > 1 : root === "run" && RUN_FACTS.has(String(name));
    if (!isKnown) throw new SubjectRefused("unknown_fact", `"${text}" is nothing a run is known by.`, HINT);
  }
}
