import type { CallToolResult } from "@modelcontextprotocol/server";
import { ApiProblem } from "../client/index.ts";
import type { Json, JsonObject } from "../core/base/index.ts";

/** What went wrong, for programs and for models, when no server of ours has said it. */
export interface Trouble {
  readonly code: string;
  readonly message: string;
}

/** Data for programs, a sentence for people, and the data once more as text for clients that read nothing else. */
export function answer(data: object, sentence: string, isError = false): CallToolResult {
  // What a client of the API gives is JSON, and what is made of it here stays so.
  const structuredContent = data as JsonObject;
  return {
    content: [
      { type: "text", text: sentence },
      { type: "text", text: JSON.stringify(structuredContent) },
    ],
    structuredContent,
    ...(isError ? { isError } : {}),
  };
}

/** What was refused is the result of the call, so that a model can read why and what would unblock it. */
export function refusal(problem: ApiProblem): CallToolResult {
  const { status, code, message, problems, explanation, requestId, retryAfterMs } = problem;
  const unblock = explanation?.unblock ?? [];
  const data = {
    code,
    message,
    status,
    ...(problems.length === 0 ? {} : { problems }),
    ...(explanation === null ? {} : { unblock, explanation }),
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
    ...(requestId === null ? {} : { requestId }),
  };
  const lines = [
    `${code}: ${message}`,
    ...problems.map((one) => `${one.path}: ${one.message}${one.hint === undefined ? "" : ` ${one.hint}`}`),
    ...unblock.map(({ detail }) => `To unblock it: ${detail}`),
  ];
  return answer(data, lines.join("\n"), true);
}

export function troubleResult({ code, message }: Trouble, problems: readonly Json[] = []): CallToolResult {
  const data = { code, message, ...(problems.length === 0 ? {} : { problems }) };
  return answer(data, `${code}: ${message}`, true);
}
