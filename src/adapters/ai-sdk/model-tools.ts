import type { ToolSet } from "ai";
import type { AdapterRequest, AllowedCall, FindSecret, ModelToolCall, ToolDescription } from "../../adapter/index.ts";
import { utf8Length, type Json, type JsonObject } from "../../core/base/index.ts";
import type { RequestedTool } from "./model-call.ts";
import type { Sdk } from "./sdk.ts";

/** A tool a model may call. */
export interface ModelTool {
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonObject;
  /** The name under which its calls are judged. Default: the name under which it is opened. */
  readonly tool?: string;
  readonly server?: string;
  /** The hints that its server gives about it. */
  readonly hints?: NonNullable<ToolDescription["hints"]>;
  /** Runs the tool. `callId` is the same for every repetition of this call. */
  execute(args: JsonObject, signal: AbortSignal, callId: string): Promise<Json>;
}

export interface OpenTools {
  readonly tools: Readonly<Record<string, ModelTool>>;
  close(): Promise<void>;
}

/** Opens the tools that a step names, for one attempt. */
export type ToolOpener = (names: readonly string[], signal: AbortSignal, secret?: FindSecret) => Promise<OpenTools>;

/** Returns the step tools for the model. The server runs them when their calls are allowed. */
export function stepTools({ stepTools: tools = [] }: AdapterRequest): Readonly<Record<string, ModelTool>> {
  return Object.fromEntries(
    tools.map(({ name, description, parameters }): [string, ModelTool] => {
      const about = description === undefined ? {} : { description };
      return [name, { ...about, inputSchema: parameters, execute: refuseHere }];
    }),
  );
}

function refuseHere(): Promise<Json> {
  return Promise.reject(new Error("It can be called only in a run of a server."));
}

export const TOOL_RESULT_BYTES_MAX = 262_144;
const NAME_LENGTH_MAX = 64;

interface Offered {
  readonly tool: string;
  readonly server: string | undefined;
  readonly offered: ModelTool;
}

/** The tools of one attempt under the names that the model sees. Vendors allow only letters, digits, `_` and `-`. */
export class ModelTools {
  readonly #byName = new Map<string, Offered>();
  readonly #byCall = new Map<string, ModelTool>();

  constructor(tools: Readonly<Record<string, ModelTool>>) {
    for (const [name, offered] of Object.entries(tools)) {
      const { tool = name, server } = offered;
      this.#byName.set(freeName(name, this.#byName), { tool, server, offered });
      this.#byCall.set(keyOf(tool, server), offered);
    }
  }

  get size(): number {
    return this.#byName.size;
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** Returns the tools for the SDK, without functions to run: calls are first judged, limited and counted elsewhere. */
  toolSet(sdk: Sdk): ToolSet {
    const entries = [...this.#byName].map(([name, { offered }]): [string, ToolSet[string]] => {
      const schema = sdk.jsonSchema<Json>(offered.inputSchema);
      const about = offered.description === undefined ? {} : { description: offered.description };
      return [name, sdk.tool({ ...about, inputSchema: schema, strict: false })];
    });
    return Object.fromEntries(entries);
  }

  /** Converts a requested call for the judge. A call of an unknown tool keeps the name that the model invented. */
  callOf({ name, input }: RequestedTool): ModelToolCall {
    const { tool = name, server } = this.#byName.get(name) ?? {};
    return { tool, args: input, ...(server === undefined ? {} : { server }) };
  }

  describe(tool: string, server: string | undefined): ToolDescription {
    const offered = this.#byCall.get(keyOf(tool, server));
    if (offered === undefined) return {};
    return { schema: offered.inputSchema, ...(offered.hints === undefined ? {} : { hints: offered.hints }) };
  }

  /** Runs a tool. Every failure rejects with a text for the model. */
  async run({ callId, tool, server, args }: AllowedCall, signal: AbortSignal): Promise<Json> {
    const offered = this.#byCall.get(keyOf(tool, server));
    if (offered === undefined) throw new Error(this.#unknown(tool));
    try {
      const result = await offered.execute(args, signal, callId);
      const text = textOf(result);
      return utf8Length(text) <= TOOL_RESULT_BYTES_MAX ? result : bounded(text);
    } catch (thrown) {
      throw new Error(bounded(`The tool failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`), {
        cause: thrown,
      });
    }
  }

  #unknown(name: string): string {
    if (this.size === 0) return "There are no tools here; answer without them.";
    return `There is no tool ${JSON.stringify(name)}. The tools are: ${[...this.#byName.keys()].join(", ")}.`;
  }
}

function keyOf(tool: string, server: string | undefined): string {
  return JSON.stringify([server ?? null, tool]);
}

/** Returns a name that differs from the taken ones and from the properties that every object inherits. */
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

function textOf(result: Json): string {
  return typeof result === "string" ? result : JSON.stringify(result);
}

function bounded(text: string): string {
  if (utf8Length(text) <= TOOL_RESULT_BYTES_MAX) return text;
  const note = "\n(cut: the result of the tool is larger than 256 KiB)";
  const kept = Buffer.from(text).subarray(0, TOOL_RESULT_BYTES_MAX - note.length);
  // A character that was cut in two becomes U+FFFD, which is removed.
  return kept.toString().replace(/\uFFFD$/, "") + note;
}
