import { getOwn, isJsonArray, isJsonObject, type Json } from "../base/index.ts";
import { insideOnlyFence, readFences } from "./fence.ts";
import { extractFiles } from "./files.ts";
import { findJson, parseWhole, type JsonFind } from "./json-search.ts";

export type OutputStrategy = "text" | "json" | "tool" | "files";

/** What had to be done to an answer, in order; none when it was as asked. */
export type OutputRepair =
  | "code_fence"
  | "first_json"
  | "tool_result"
  | "too_deep"
  | "no_json"
  | "refused_path"
  | "unclosed_fence";

export interface NormalisedOutput {
  /** The answer without wrapping: the inside of its only fence, or the source of the value that was found. */
  readonly text: string;
  readonly value?: Json;
  readonly repairs: readonly OutputRepair[];
  readonly raw: string;
}

/**
 * Brings what a model or tool said to what was asked of it, without guessing. `wanted` decides which of several JSON
 * values is meant: the first, or the first object (so that a footnote `[1]` is not taken for declared outputs).
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

/** A tool's answer is its structured part, else what its text parts say together, else the JSON as it stands. */
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

/** Texts of a list of parts, joined; undefined when there is no such list or no text in it. */
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
