import type { ToolSet } from "ai";
import type { FindSecret } from "../../adapter/index.ts";
import { isJsonObject, utf8Length, type Json, type JsonObject } from "../../core/base/index.ts";
import type { RequestedTool } from "./model-call.ts";
import type { Sdk } from "./sdk.ts";

/** A tool a model may call. */
export interface ModelTool {
  readonly description?: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: JsonObject;
  execute(args: JsonObject, signal: AbortSignal): Promise<Json>;
}

export interface OpenTools {
  readonly tools: Readonly<Record<string, ModelTool>>;
  close(): Promise<void>;
}

/** Makes the tools a step names ready for one attempt. */
export type ToolOpener = (names: readonly string[], signal: AbortSignal, secret?: FindSecret) => Promise<OpenTools>;

export const TOOL_RESULT_BYTES_MAX = 262_144;
const NAME_LENGTH_MAX = 64;

export interface ToolAnswer {
  readonly text: string;
  readonly kind: "result" | "error" | "unknown";
}

/** The tools of one attempt under the names a model sees; vendors allow only letters, digits, `_` and `-`. */
export class ModelTools {
  readonly #byName: ReadonlyMap<string, ModelTool>;

  constructor(tools: Readonly<Record<string, ModelTool>>) {
    const byName = new Map<string, ModelTool>();
    for (const [name, tool] of Object.entries(tools)) byName.set(freeName(name, byName), tool);
    this.#byName = byName;
  }

  get size(): number {
    return this.#byName.size;
  }

  /** What the SDK sends to the model. It is given nothing to run: calls are answered here, bounded and counted. */
  toolSet(sdk: Sdk): ToolSet {
    const entries = [...this.#byName].map(([name, { description, inputSchema }]): [string, ToolSet[string]] => {
      const schema = sdk.jsonSchema<Json>(inputSchema);
      const about = description === undefined ? {} : { description };
      return [name, sdk.tool({ ...about, inputSchema: schema, strict: false })];
    });
    return Object.fromEntries(entries);
  }

  /** Runs a tool; whatever goes wrong is an answer for the model, not an end of the attempt. */
  async answer({ name, input }: RequestedTool, signal: AbortSignal): Promise<ToolAnswer> {
    const tool = this.#byName.get(name);
    if (tool === undefined) {
      const known = [...this.#byName.keys()].join(", ");
      return { kind: "unknown", text: `There is no tool ${JSON.stringify(name)}. The tools are: ${known}.` };
    }
    const args = (input ?? {}) as Json;
    if (!isJsonObject(args)) return { kind: "error", text: "The arguments of a tool must be a JSON object." };
    try {
      const result = await tool.execute(args, signal);
      return { kind: "result", text: bounded(typeof result === "string" ? result : JSON.stringify(result)) };
    } catch (thrown) {
      return {
        kind: "error",
        text: bounded(`The tool failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`),
      };
    }
  }
}

/** A name that stays apart from the others and from what every object inherits. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  const plain = name.replaceAll("/", "__").replaceAll(/[^A-Za-z0-9_-]/g, "_");
  const safe = plain === "" || Object.hasOwn(Object.prototype, plain) ? `tool_${plain}` : plain;
  let free = safe.slice(0, NAME_LENGTH_MAX);
  for (let number = 2; taken.has(free); number += 1) {
    const suffix = `_${number}`;
    free = safe.slice(0, NAME_LENGTH_MAX - suffix.length) + suffix;
  }
  return free;
}

function bounded(text: string): string {
  if (utf8Length(text) <= TOOL_RESULT_BYTES_MAX) return text;
  const note = "\n(cut: the result of the tool is larger than 256 KiB)";
  const kept = Buffer.from(text).subarray(0, TOOL_RESULT_BYTES_MAX - note.length);
  // A character cut in two becomes U+FFFD, which is left out as well.
  return kept.toString().replace(/\uFFFD$/, "") + note;
}
