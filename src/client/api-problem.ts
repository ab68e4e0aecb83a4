import type { Explanation } from "../core/governance/index.ts";

/** An answer that is an error, as data: programs read `code`, people `message`. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly problems?: readonly {
    readonly code: string;
    readonly message: string;
    readonly path: string;
    readonly line?: number;
    readonly column?: number;
    readonly hint?: string;
  }[];
  /** Why a launch gate said no. */
  readonly explanation?: Explanation;
  readonly requestId: string;
}

export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly problems: NonNullable<ProblemBody["problems"]>;
  readonly explanation: Explanation | null;
  readonly requestId: string | null;
  /** Milliseconds to wait before trying again, when the server said so. */
  readonly retryAfterMs: number | null;

  constructor(body: Partial<ProblemBody>, response: Response) {
    super(body.detail ?? `The server answered ${response.status}.`);
    this.status = response.status;
    this.code = body.code ?? "unknown_error";
    this.title = body.title ?? response.statusText;
    this.problems = body.problems ?? [];
    this.explanation = body.explanation ?? null;
    this.requestId = body.requestId ?? response.headers.get("x-request-id");
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    this.retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : null;
  }
}

/** A proxy in between may answer in its own words; what can be read of them is kept. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const text = await response.text().catch(() => "");
  try {
    const body: unknown = JSON.parse(text);
    return new ApiProblem(typeof body === "object" && body !== null ? body : {}, response);
  } catch {
    return new ApiProblem({}, response);
  }
}

/** A stream ended because the key or token did; asking again would be answered the same way. */
export function expiredProblem(data: string): ApiProblem {
  const said = bodyIn(data);
  return new ApiProblem({ code: "unauthenticated", ...said }, new Response(null, { status: 401 }));
}

function bodyIn(data: string): Partial<Pick<ProblemBody, "code" | "detail">> {
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
