import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ChildProcess } from "node:child_process";
import { fail, succeed, type Json, type JsonObject, type Outcome } from "../../core/base/index.ts";

const SDK_PACKAGE = "@anthropic-ai/claude-agent-sdk";

/** The process that the SDK requests to be started. */
export interface SpawnOrder {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type Permission =
  | { readonly behavior: "allow"; readonly updatedInput: Readonly<Record<string, unknown>> }
  | { readonly behavior: "deny"; readonly message: string };

/** The data about a tool call that a hook of the SDK receives. */
export interface ToolHookInput {
  readonly hook_event_name: string;
  readonly tool_name?: string;
  readonly tool_input?: unknown;
  readonly tool_use_id?: string;
  readonly tool_response?: unknown;
  readonly error?: unknown;
}

/** The decision of a hook. When empty, the rules of the session apply. */
export interface ToolHookOutput {
  readonly continue?: false;
  readonly stopReason?: string;
  readonly hookSpecificOutput?: {
    readonly hookEventName: "PreToolUse";
    readonly permissionDecision: "allow" | "deny";
    readonly permissionDecisionReason: string;
    readonly updatedInput?: Readonly<Record<string, unknown>>;
    readonly additionalContext?: string;
  };
}

export type SessionHook = (input: ToolHookInput) => Promise<ToolHookOutput>;
export type SessionHooks = Readonly<
  Record<
    "PreToolUse" | "PostToolUse" | "PostToolUseFailure",
    readonly { readonly hooks: readonly SessionHook[]; readonly timeout: number }[]
  >
>;

/** The SDK options that are used here. The package is not a dependency, so its types cannot be imported. */
export interface SessionOptions {
  readonly abortController: AbortController;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly model?: string;
  readonly systemPrompt?: string;
  readonly tools: readonly string[];
  readonly allowedTools: readonly string[];
  readonly permissionMode: "default";
  readonly canUseTool: (tool: string, input: Readonly<Record<string, unknown>>) => Promise<Permission>;
  readonly hooks?: SessionHooks;
  readonly settingSources: readonly string[];
  readonly strictMcpConfig: boolean;
  readonly persistSession: boolean;
  /** The id of the session to continue. */
  readonly resume?: string;
  readonly includePartialMessages: boolean;
  readonly verbatimPrompts: boolean;
  readonly maxTurns: number;
  readonly maxBudgetUsd?: number;
  readonly outputFormat?: { readonly type: "json_schema"; readonly schema: JsonObject };
  readonly sandbox?: Readonly<Record<string, Json>>;
  readonly pathToClaudeCodeExecutable?: string;
  readonly spawnClaudeCodeProcess: (order: SpawnOrder) => ChildProcess;
}

export interface ClaudeSdk {
  query(session: { readonly prompt: string; readonly options: SessionOptions }): AsyncIterable<unknown>;
}

/** Loads the SDK from the folder where an operator installed it. The failure explains how to fix the problem. */
export type LoadSdk = (folder: string | undefined) => Promise<Outcome<ClaudeSdk, string>>;

export const loadSdk: LoadSdk = async (folder) => {
  const found = findSdk(folder);
  if (!found.ok) return found;
  try {
    const module: unknown = await import(pathToFileURL(found.value).href);
    if (isSdk(module)) return succeed(module);
    return fail(`${SDK_PACKAGE} at ${found.value} has no function "query"; install version 0.3 or newer.`);
  } catch (thrown) {
    return fail(`${SDK_PACKAGE} at ${found.value} cannot be loaded: ${reasonOf(thrown)}`);
  }
};

/** Returns the path from which the SDK would be loaded, without loading it. */
export function findSdk(folder: string | undefined): Outcome<string, string> {
  try {
    const from = folder === undefined ? import.meta.url : join(folder, "package.json");
    return succeed(createRequire(from).resolve(SDK_PACKAGE));
  } catch {
    const where = folder === undefined ? "beside Sluice" : `in ${folder}`;
    return fail(
      `${SDK_PACKAGE} is not installed ${where}: run "npm install ${SDK_PACKAGE}" in a folder, and name that folder as "sdk" of the adapter.`,
    );
  }
}

function isSdk(module: unknown): module is ClaudeSdk {
  return typeof module === "object" && module !== null && "query" in module && typeof module.query === "function";
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
