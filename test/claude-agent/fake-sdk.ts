import type { ClaudeSdk } from "../../src/adapters/claude-agent/sdk.ts";
import { assistant, init, messageDelta, messageStart, piece, result, text } from "./messages.ts";

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

/** Repeats what it was sent; a prompt with SLOW in it is never answered. */
export async function* query({ prompt, options }: Session): AsyncGenerator {
  const { signal } = options.abortController;
  yield init();
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
