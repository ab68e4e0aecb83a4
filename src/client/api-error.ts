import type { Explanation, ProblemReply, SentProblem } from "../contract/index.ts";

/** An answer that is an error, as data: programs read `code`, people `detail` and `hint`. */
export interface ProblemBody extends ProblemReply {
  /** What to do about it; only the client itself gives it, for errors that no server has answered with. */
  readonly hint?: string;
}

/** What an error is made from when there is no answer: status 0, no headers. */
type AnswerHead = Pick<Response, "status"> & Partial<Pick<Response, "statusText" | "headers">>;

/** No answer at all, or one that broke off. */
export const UNREACHABLE = "unreachable";
/** An answer that a Sluice server does not give: not whole, not JSON, not of the expected shape. */
export const BROKEN_ANSWER = "broken_answer";

/** Everything that keeps a call from succeeding: a refusal of the server, a broken answer, or no answer. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** Of the answer; 0 when there was no answer. */
  readonly status: number;
  /** Stable, for programs; `unreachable` and `broken_answer` are given by the client itself. */
  readonly code: string;
  readonly title: string;
  /** What is wrong, for people; the same text as `message`. */
  readonly detail: string;
  /** What to do about it, where that is known. */
  readonly hint: string | null;
  readonly problems: readonly SentProblem[];
  readonly explanation: Explanation | null;
  readonly requestId: string | null;
  /** Milliseconds to wait before trying again, when the server said so. */
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

/** The first piece of advice that came with the problems or with the verdict of a launch gate. */
function hintOf({ problems, explanation }: Pick<ApiError, "problems" | "explanation">): string | null {
  const unblock = explanation?.unblock?.[0];
  return (
    problems.find(({ hint }) => hint !== undefined)?.hint ??
    (unblock === undefined ? null : `${unblock.action} ${unblock.target}: ${unblock.detail}`)
  );
}

/** The error an answer is. A proxy in between may answer in its own words; what can be read of them is kept. */
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

/** A proxy, or a server of another kind, answers in pages. */
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

/** An answer that was received but is not whole, or not what was asked for. */
export function brokenAnswer(url: string, what: string, response: AnswerHead): ApiError {
  const hint = "try again; if it happens again, check what stands between here and the server";
  return new ApiError({ code: BROKEN_ANSWER, title: BROKEN_TITLE, detail: `${placeOf(url)} ${what}`, hint }, response);
}

/** No answer, or the connection broke in the middle of one. */
export function unreachable(url: string, thrown: unknown): ApiError {
  const detail = `cannot reach ${placeOf(url)}: ${reasonOf(thrown)}`;
  const title = "The server cannot be reached";
  return new ApiError({ code: UNREACHABLE, title, detail }, { status: 0 }, { cause: thrown });
}

/** A stream ended because the key or token did; asking again would be answered the same way. */
export function expired(data: string): ApiError {
  return new ApiError({ code: "unauthenticated", ...saidIn(data) }, { status: 401 });
}

function saidIn(data: string): Partial<Pick<ProblemBody, "code" | "detail">> {
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

/** A page that asks its own server names no address. */
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
