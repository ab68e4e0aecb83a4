import { scanBraced } from "../core/expression/index.ts";
import {
  bracedText,
  calculatedRef,
  expressionText,
  LEVEL,
  type Level,
  quoted,
  type Ref,
  sourceOf,
} from "./reference.ts";
import { WorkflowError } from "./workflow-error.ts";

/** Returns a value as part of an expression, in brackets when the surrounding operator binds more strongly. */
export function operand(value: unknown, around: Level): string {
  const { text, level } = expressionOf(value);
  return level < around ? `(${text})` : text;
}

interface Written {
  readonly text: string;
  readonly level: Level;
}

function written(text: string, level: Level = LEVEL.operand): Written {
  return { text, level };
}

function expressionOf(value: unknown): Written {
  const source = sourceOf(value);
  if (source !== undefined)
    return written(expressionText(source), source.kind === "path" ? LEVEL.operand : source.level);
  if (typeof value === "string") return textOperand(value);
  if (typeof value === "boolean" || value === null) return written(String(value));
  if (typeof value === "number" && Number.isFinite(value)) {
    return value < 0 ? written(String(value), LEVEL.unary) : written(String(value));
  }
  if (Array.isArray(value)) return written(`[${value.map((item) => operand(item, LEVEL.choice)).join(", ")}]`);
  if (typeof value === "object") {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return written(`{${members.map(([key, member]) => `${keyOf(key)}: ${operand(member, LEVEL.choice)}`).join(", ")}}`);
  }
  const message = `A value of type ${typeof value} cannot be part of an expression.`;
  throw new WorkflowError(
    "bad_value",
    "expression",
    message,
    "Use texts, numbers, true, false, null, lists and objects.",
  );
}

function keyOf(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? key : quoted(key);
}

/** Converts a text that may contain references into an expression, which builds the text when the workflow runs. */
function textOperand(text: string): Written {
  const parts: string[] = [];
  let literal = "";
  let at = 0;
  while (at < text.length) {
    const found = text.startsWith("${", at) ? scanBraced(text, at) : undefined;
    if (found?.ok === true) {
      if (literal !== "") parts.push(quoted(literal));
      literal = "";
      parts.push(`string(${text.slice(at + 2, found.value.end - 1)})`);
      at = found.value.end;
    } else {
      literal += text.charAt(at);
      at += 1;
    }
  }
  if (literal !== "" || parts.length === 0) parts.push(quoted(literal));
  return parts.length === 1 ? written(parts.join("")) : written(parts.join(" + "), LEVEL.sum);
}

/** Returns the text of an expression for a condition, a list or a key. */
export function expressionTextOf(value: unknown): string {
  return operand(value, LEVEL.choice);
}

/** Returns a text with `${…}` in place of references. */
export function textOf(value: unknown): string {
  const source = sourceOf(value);
  return source === undefined ? String(value) : bracedText(source);
}

/** Returns an expression from its text in the syntax of files, for calculations that have no function here. */
export function expr<T = unknown>(text: string): Ref<T> {
  return calculatedRef(text, LEVEL.choice);
}
