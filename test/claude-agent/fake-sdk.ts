import type { ClaudeSdk } from "../../src/adapters/claude-agent/sdk.ts";
import { assistant, init, messageDelta, messageStart, piece, result, text, toolResult, toolUse } from "./messages.ts";

export type Session = Parameters<ClaudeSdk["query"]>[0];

/** One script per session, in order; the last one repeats. */
export type SessionScript = (session: Session) => AsyncIterable<unknown> | Iterable<unknown>;

export interface FakeSdk extends ClaudeSdk {
  readonly sessions: readonly Session[];
}

export function createFakeSdk(...scripts: readonly SessionScript[]): FakeSdk {
  const sessions: Session[] = [];
  return {
    sessions,
    async *query(session) {
      sessions.push(session);
      const script = scripts[Math.min(sessions.length, scripts.length) - 1];
      if (script === undefined) throw new Error("The script is over.");
      yield* script(session);
    },
  };
}

/** Repeats what it was sent; a prompt with SLOW in it is never answered, one with READ in it reads a file before. */
export async function* query(session: Session): AsyncGenerator {
  const { prompt, options } = session;
  const { signal } = options.abortController;
  yield init();
  if (prompt.includes("READ")) {
    const call = { id: "toolu_1", name: "Read", input: { file_path: "a" } };
    yield assistant([toolUse(call.id, call.name, call.input)]);
    const { content, isError } = await useTool(session, call, () => "read");
    yield toolResult(call.id, content, isError);
  }
  yield messageStart();
  yield piece("You said: ");
  if (prompt.includes("SLOW")) await aborted(signal);
  yield piece(prompt);
  yield assistant([text(`You said: ${prompt}`)]);
  yield messageDelta("end_turn", 20);
  yield result({ result: `You said: ${prompt}` });
}

/** As the SDK does when its controller is aborted. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(new Error("Claude Code process aborted by user"));
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}

/** Calls a tool as the SDK does: its hooks first, then the rules of the session, then the tool, then the hooks again. */
export async function useTool(
  { options }: Session,
  call: { readonly id: string; readonly name: string; readonly input: Readonly<Record<string, unknown>> },
  run: (input: Readonly<Record<string, unknown>>) => unknown,
): Promise<{ readonly content: string; readonly isError: boolean }> {
  const about = { tool_name: call.name, tool_input: call.input, tool_use_id: call.id };
  const ask = async (event: "PreToolUse" | "PostToolUse" | "PostToolUseFailure", more: object = {}) => {
    const [matcher] = options.hooks?.[event] ?? [];
    return (await matcher?.hooks[0]?.({ hook_event_name: event, ...about, ...more })) ?? {};
  };
  const { hookSpecificOutput: said } = await ask("PreToolUse");
  if (said?.permissionDecision === "deny") return { content: said.permissionDecisionReason, isError: true };
  const permission =
    said?.permissionDecision === "allow"
      ? { behavior: "allow" as const, updatedInput: said.updatedInput ?? call.input }
      : await options.canUseTool(call.name, call.input);
  if (permission.behavior === "deny") return { content: permission.message, isError: true };
  try {
    const response = run(permission.updatedInput);
    await ask("PostToolUse", { tool_response: response });
    return { content: JSON.stringify(response), isError: false };
  } catch (thrown) {
    await ask("PostToolUseFailure", { error: String(thrown) });
    return { content: String(thrown), isError: true };
  }
}
