import { getOwn, isJsonArray, isJsonObject, type Json } from "../base/index.ts";
import { insideOnlyFence, readFences } from "./fence.ts";
import { extractFiles } from "./files.ts";
import { findJson, parseWhole, type JsonFind } from "./json-search.ts";

export type OutputStrategy = "text" | "json" | "tool" | "files";

/** Repairs made to an answer, in order. Empty when the answer was as requested. */
export type OutputRepair =
  | "code_fence"
  | "first_json"
  | "tool_result"
  | "too_deep"
  | "no_json"
  | "refused_path"
  | "unclosed_fence";

export interface NormalisedOutput {
  /** The answer without wrapping: the content of its only fence, or the source of the JSON value that was found. */
  readonly text: string;
  readonly value?: Json;
  readonly repairs: readonly OutputRepair[];
  readonly raw: string;
}

/**
 * Converts the output of a model or tool to the requested form, without guessing. `wanted` selects among several JSON values:
 * the first, or the first object (so that a footnote `[1]` is not read as declared outputs).
 */
export function normaliseOutput(
  raw: string,
  strategy: OutputStrategy,
  wanted: "any" | "object" = "any",
): NormalisedOutput {
  switch (strategy) {
    case "text": {
      const inside = insideOnlyFence(raw);
      return { text: inside ?? raw, repairs: inside === undefined ? [] : ["code_fence"], raw };
    }
    case "json":
      return normaliseJson(raw, wanted);
    case "tool":
      return normaliseTool(raw);
    case "files":
      return normaliseFiles(raw);
  }
}

function normaliseJson(raw: string, wanted: "any" | "object"): NormalisedOutput {
  const inside = insideOnlyFence(raw);
  const text = inside ?? raw;
  const repairs: OutputRepair[] = inside === undefined ? [] : ["code_fence"];
  const whole = parseWhole(text);
  if (whole.value !== undefined || whole.isTooDeep) return withFind(whole, text, repairs, raw);
  return withFind(findJson(text, wanted), text, [...repairs, "first_json"], raw);
}

function withFind(find: JsonFind, text: string, repairs: readonly OutputRepair[], raw: string): NormalisedOutput {
  const tooDeep: readonly OutputRepair[] = find.isTooDeep ? ["too_deep"] : [];
  if (find.value === undefined) {
    const tried = repairs.filter((repair) => repair !== "first_json");
    return { text, repairs: [...tried, ...tooDeep, "no_json"], raw };
  }
  return { text: find.source ?? text, value: find.value, repairs: [...repairs, ...tooDeep], raw };
}

/** Returns the answer of a tool: its structured part, else its joined text parts, else the JSON unchanged. */
function normaliseTool(raw: string): NormalisedOutput {
  const answer = normaliseJson(raw, "any");
  if (!isJsonObject(answer.value)) return answer;
  const structured = getOwn(answer.value, "structuredContent");
  if (structured !== undefined && structured !== null) {
    return { text: JSON.stringify(structured), value: structured, repairs: [...answer.repairs, "tool_result"], raw };
  }
  const text = textOfParts(getOwn(answer.value, "content"));
  if (text === undefined) return answer;
  const { value } = parseWhole(text);
  return { text, value: value ?? text, repairs: [...answer.repairs, "tool_result"], raw };
}

/** Joins the texts of a list of parts. Undefined when there is no such list or it contains no text. */
function textOfParts(content: Json | undefined): string | undefined {
  if (!isJsonArray(content)) return undefined;
  const texts = content.flatMap((part) => {
    const text = isJsonObject(part) && getOwn(part, "type") === "text" ? getOwn(part, "text") : undefined;
    return typeof text === "string" ? [text] : [];
  });
  return texts.length === 0 ? undefined : texts.join("\n");
}

function normaliseFiles(raw: string): NormalisedOutput {
  const { blocks, isCutOff } = readFences(raw);
  const { files, refused } = extractFiles(blocks);
  const repairs: OutputRepair[] = files.length === 0 ? [] : ["code_fence"];
  if (refused > 0) repairs.push("refused_path");
  if (isCutOff) repairs.push("unclosed_fence");
  const value = files.map(({ path, content }) => ({ path, content }));
  return { text: raw, value, repairs, raw };
}
