import type { CallToolResult, Tool, ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { SluiceClient } from "../client/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { troubleResult } from "./tool-result.ts";

/** One tool call: the API under the caller's key, and the channel back to the caller. */
export interface ToolCall {
  readonly api: SluiceClient;
  /** Aborted when the caller no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Reports progress, when the caller wants it. */
  readonly report: (progress: Progress) => void;
  /** Identifies this call, for callers whose calls can be distinguished; null otherwise. */
  readonly idempotencyKey: string | null;
}

export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly message: string;
}

/** A tool that always exists, independent of registered workflows. */
export interface FixedTool {
  readonly listed: Tool;
  readonly call: (given: JsonObject, call: ToolCall) => Promise<CallToolResult>;
}

interface ToolParts<S extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: S;
  readonly output?: JsonObject;
  readonly annotations: ToolAnnotations;
  readonly handle: (input: z.output<S>, call: ToolCall) => Promise<CallToolResult>;
}

export function defineTool<S extends z.ZodObject>(parts: ToolParts<S>): FixedTool {
  const { name, title, description, input, output, annotations, handle } = parts;
  return {
    listed: {
      name,
      title,
      description,
      inputSchema: schemaOf(input),
      ...(output === undefined ? {} : { outputSchema: { type: "object", ...output } }),
      annotations: { title, ...annotations },
    },
    call: async (given, call) => {
      const read = input.safeParse(withOwnSpelling(given, Object.keys(input.shape)));
      return read.success ? handle(read.data, call) : troubleResult(...mistakesOf(read.error, input));
    },
  };
}

function schemaOf(input: z.ZodObject): Tool["inputSchema"] {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: "input" });
  return { ...schema, type: "object" } as Tool["inputSchema"];
}

/** Accepts camelCase argument names. Results use `runId` like the API, arguments use `run_id`, and models mix them up. */
function withOwnSpelling(given: JsonObject, known: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [!known.includes(name) && known.includes(snake) ? snake : name, value];
    }),
  );
}

function mistakesOf(error: z.ZodError, { shape }: z.ZodObject): Parameters<typeof troubleResult> {
  const problems = error.issues.map(({ path, message }) => ({ path: path.map(String).join("."), message }));
  const [first] = problems;
  const place = first === undefined || first.path === "" ? "" : `"${first.path}": `;
  const takes = Object.keys(shape).join(", ") || "nothing";
  const message = `${place}${first?.message ?? "The arguments do not fit"}. The tool takes ${takes}.`;
  return [{ code: "invalid_request", message }, problems];
}
