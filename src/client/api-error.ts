import type { Explanation, ProblemReply, SentProblem } from "../contract/index.ts";

/** An answer that is an error, as data: programs read `code`, people `detail` and `hint`. */
export interface ProblemBody extends ProblemReply {
  /** Advice. Set only by the client itself, for errors that did not come from a server. */
  readonly hint?: string;
}

/** Status and headers an error is built from. Without an answer the status is 0 and there are no headers. */
type AnswerHead = Pick<Response, "status"> & Partial<Pick<Response, "statusText" | "headers">>;

/** Code for a call without an answer, or with an answer that broke off. */
export const UNREACHABLE = "unreachable";
/** Code for an answer that cannot be from a Sluice server: incomplete, not JSON, or of another shape. */
export const BROKEN_ANSWER = "broken_answer";

/** Thrown when a call does not succeed: the server refused it, or the answer is broken or missing. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** HTTP status of the answer. 0 when there was no answer. */
  readonly status: number;
  /** Stable code for programs. `unreachable` and `broken_answer` are set by the client itself. */
  readonly code: string;
  readonly title: string;
  /** Description of the problem for people. The same text as `message`. */
  readonly detail: string;
  /** Advice for solving the problem. Null when there is none. */
  readonly hint: string | null;
  readonly problems: readonly SentProblem[];
  readonly explanation: Explanation | null;
  readonly requestId: string | null;
  /** Milliseconds to wait before the next try, when the server sent them. */
  readonly retryAfterMs: number | null;

  constructor(body: Partial<ProblemBody>, answer: AnswerHead, options: ErrorOptions = {}) {
    const detail = body.detail ?? `The server answered ${answer.status}.`;
    super(detail, options);
    this.status = answer.status;
    this.code = body.code ?? "unknown_error";
    this.title = body.title ?? answer.statusText ?? "";
    this.detail = detail;
    this.problems = body.problems ?? [];
    this.explanation = body.explanation ?? null;
    this.hint = body.hint ?? hintOf(this);
    this.requestId = body.requestId ?? answer.headers?.get("x-request-id") ?? null;
    const seconds = Number(answer.headers?.get("retry-after") ?? Number.NaN);
    this.retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : null;
  }
}

/** Returns the first advice from the problems, or from the verdict of a launch gate. */
function hintOf({ problems, explanation }: Pick<ApiError, "problems" | "explanation">): string | null {
  const unblock = explanation?.unblock?.[0];
  return (
    problems.find(({ hint }) => hint !== undefined)?.hint ??
    (unblock === undefined ? null : `${unblock.action} ${unblock.target}: ${unblock.detail}`)
  );
}

/** Builds the error for an error answer. A proxy may have sent the answer, so an unexpected body is accepted too. */
export async function errorOf(response: Response, url: string): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  if (!isOurs(response)) return foreignAnswer(response, url);
  try {
    const body: unknown = JSON.parse(text);
    return new ApiError(typeof body === "object" && body !== null ? body : {}, response);
  } catch {
    return new ApiError({}, response);
  }
}

/** Checks whether an answer has a content type that Sluice sends. Proxies and other servers usually send HTML. */
export function isOurs({ status, headers }: Pick<Response, "status" | "headers">): boolean {
  const type = headers.get("content-type") ?? "";
  return (
    status === 204 ||
    /^(?:application\/(?:(?:problem\+|x-nd)?json|octet-stream)|text\/(?:event-stream|plain))/.test(type)
  );
}

const BROKEN_TITLE = "The answer is not that of a Sluice server";

export function foreignAnswer(response: AnswerHead, url: string): ApiError {
  const detail = `${placeOf(url)} answers, but not as a Sluice server does (${response.status})`;
  return new ApiError(
    { code: BROKEN_ANSWER, title: BROKEN_TITLE, detail, hint: "check the address of the server" },
    response,
  );
}

/** Builds the error for an answer that is incomplete or not the expected one. */
export function brokenAnswer(url: string, what: string, response: AnswerHead): ApiError {
  const hint = "try again; if it happens again, check what stands between here and the server";
  return new ApiError({ code: BROKEN_ANSWER, title: BROKEN_TITLE, detail: `${placeOf(url)} ${what}`, hint }, response);
}

/** Builds the error for a call without an answer, or whose connection broke. */
export function unreachable(url: string, thrown: unknown): ApiError {
  const detail = `cannot reach ${placeOf(url)}: ${reasonOf(thrown)}`;
  const title = "The server cannot be reached";
  return new ApiError({ code: UNREACHABLE, title, detail }, { status: 0 }, { cause: thrown });
}

/** Builds the error for a stream that ended because its key or token expired. Reconnecting would give the same answer. */
export function expired(data: string): ApiError {
  return new ApiError({ code: "unauthenticated", ...readProblem(data) }, { status: 401 });
}

function readProblem(data: string): Partial<Pick<ProblemBody, "code" | "detail">> {
  try {
    const { code, detail } = JSON.parse(data) as { readonly code?: unknown; readonly detail?: unknown };
    return {
      ...(typeof code === "string" ? { code } : {}),
      ...(typeof detail === "string" ? { detail } : {}),
    };
  } catch {
    return {};
  }
}

/** Returns the server for a message. The URL is empty when a page calls its own server. */
function placeOf(url: string): string {
  return url === "" ? "the server" : url;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "nothing listens there"],
  ["ENOTFOUND", "there is no such host"],
  ["EAI_AGAIN", "the name of the host cannot be looked up"],
  ["ECONNRESET", "the connection was cut"],
  ["UND_ERR_SOCKET", "the connection was cut"],
  ["UND_ERR_CONNECT_TIMEOUT", "it does not answer"],
  ["UND_ERR_HEADERS_TIMEOUT", "it does not answer"],
  ["UND_ERR_BODY_TIMEOUT", "the answer stopped in the middle"],
]);

function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return REASONS.get(code) ?? (cause instanceof Error && cause.message !== "" ? cause.message : code || "no answer");
}
