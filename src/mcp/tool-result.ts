import type { CallToolResult } from "@modelcontextprotocol/server";
import { ApiProblem } from "../client/index.ts";
import type { Json, JsonObject } from "../core/base/index.ts";

/** An error that is not an answer of the API, for programs and models. */
export interface Trouble {
  readonly code: string;
  readonly message: string;
}

/** Builds a result: structured data, a sentence for people, and the data as text for clients that read only text. */
export function answer(data: object, sentence: string, isError = false): CallToolResult {
  // Data from the API client is JSON, and so is everything built from it.
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

/** Returns a refusal as the result of the call, so that a model can read the reason and what would unblock it. */
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
