import type { BridgeProblem } from "./wire.ts";

/** The status and title of every error code of a Bridge. */
const BRIDGE_PROBLEMS = {
  bad_json: [400, "The body is not valid JSON"],
  unauthenticated: [401, "A valid token is needed"],
  bad_origin: [403, "The request comes from a browser"],
  not_found: [404, "There is nothing here"],
  unknown_dispatch: [404, "There is no such dispatch"],
  method_not_allowed: [405, "The method is not allowed here"],
  body_too_large: [413, "The body is too large"],
  unsupported_media_type: [415, "The content type is not supported"],
  invalid_request: [422, "The request is not valid"],
  unknown_provider: [422, "No adapter has this name"],
  too_many_dispatches: [429, "The Bridge has too much to do"],
  internal_error: [500, "Something went wrong inside the Bridge"],
  stopping: [503, "The Bridge is stopping"],
  journal_unavailable: [503, "The dispatch cannot be written down"],
} as const satisfies Record<string, readonly [number, string]>;

export type BridgeProblemCode = keyof typeof BRIDGE_PROBLEMS;

export interface BridgeProblemExtras {
  readonly problems?: NonNullable<BridgeProblem["problems"]>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown by routes and converted to an error response. In a batch, it becomes one answer among others. */
export class BridgeRefusal extends Error {
  override readonly name = "BridgeRefusal";
  readonly body: BridgeProblem;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: BridgeProblemCode, detail: string, { problems, headers }: BridgeProblemExtras = {}) {
    super(detail);
    const [status, title] = BRIDGE_PROBLEMS[code];
    const type = `urn:sluice:problem:${code}`;
    this.body = { type, title, status, code, detail, ...(problems === undefined ? {} : { problems }) };
    this.headers = headers ?? {};
  }

  response(): Response {
    return new Response(JSON.stringify(this.body), {
      status: this.body.status,
      headers: {
        ...this.headers,
        "content-type": "application/problem+json; charset=utf-8",
        "cache-control": "no-store",
      },
    });
  }
}
