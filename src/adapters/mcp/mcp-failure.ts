import { type FailureClass, MissingPackage, missingPackage } from "../../core/base/index.ts";
import { isRetryableStatus } from "../retryable-status.ts";
import { ResponseTooLarge } from "../../outbound/index.ts";

/** Maximum length of a message. Longer texts of a server are cut, because people read the message. */
const MESSAGE_LENGTH_MAX = 2_048;

/** Error codes of the MCP client for answers that it cannot interpret. */
const BAD_OUTPUT_CODES: readonly unknown[] = [
  "INVALID_RESULT",
  "UNSUPPORTED_RESULT_TYPE",
  "CLIENT_HTTP_UNEXPECTED_CONTENT",
];

/** An error that explains why a tool gave no result, with the failure class for the engine. */
export class McpFailure extends Error {
  override readonly name = "McpFailure";
  readonly failure: FailureClass;
  /** False when the same request would fail again. */
  readonly retryable: boolean | undefined;
  constructor(failure: FailureClass, message: string, retryable?: boolean) {
    super(message.length > MESSAGE_LENGTH_MAX ? `${message.slice(0, MESSAGE_LENGTH_MAX)}…` : message);
    this.failure = failure;
    this.retryable = retryable;
  }
}

/** Handles a failed import of the MCP client, an optional package. */
export function notInstalled(error: unknown): never {
  const found = missingPackage(error, "@modelcontextprotocol/client");
  if (!(found instanceof MissingPackage)) throw found;
  throw new McpFailure("provider_refused", `sdk_not_installed: ${found.message}`, false);
}

/** Classifies an error of the MCP client. `server` and `stage` describe where it happened. */
export function failureOf(error: unknown, server: string, stage: "connect" | "call"): McpFailure {
  if (error instanceof McpFailure) return error;
  const chain = causesOf(error);
  if (chain.some((cause) => cause instanceof ResponseTooLarge || codeOf(cause) === "RESPONSE_TOO_LARGE")) {
    return tooLarge(server);
  }
  const status = chain.map(statusOf).find((found) => found !== undefined);
  const text = chain.map(textOf).find((found) => found !== "") ?? "no reason given";
  if (status === 401 || status === 403 || chain.some((cause) => textName(cause) === "UnauthorizedError")) {
    const code = status === undefined ? "" : ` (HTTP ${String(status)})`;
    return new McpFailure(
      "provider_auth",
      `The MCP server "${server}" refused the credentials${code}: check its headers.`,
    );
  }
  if (status === 429)
    return new McpFailure("provider_rate_limit", `The MCP server "${server}" asks to slow down (HTTP 429).`);
  if (chain.some((cause) => BAD_OUTPUT_CODES.includes(codeOf(cause)))) {
    return new McpFailure("provider_bad_output", `The answer of the MCP server "${server}" is malformed: ${text}`);
  }
  const deed = stage === "connect" ? "could not be reached" : "did not answer the call";
  const retryable = status === undefined || isRetryableStatus(status) ? undefined : false;
  return new McpFailure("provider_error", `The MCP server "${server}" ${deed}: ${text}`, retryable);
}

export function tooLarge(server: string): McpFailure {
  return new McpFailure("provider_bad_output", `The MCP server "${server}" answered with more than 5 MiB.`);
}

function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let cause = error; cause !== undefined && cause !== null && chain.length < 8;) {
    chain.push(cause);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return chain;
}

function statusOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("status" in error)) return undefined;
  return typeof error.status === "number" ? error.status : undefined;
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : "";
}

function textName(error: unknown): string {
  return error instanceof Error ? error.name : "";
}
