import type { z } from "zod";
import type { Permission } from "../contract/index.ts";
import type { AuditTrail } from "../audit/index.ts";
import type { Runtime } from "../driver/index.ts";
import type { GatewayDirectory, Tickets } from "../gateway/index.ts";
import type { OpenedGovernance } from "../governance/index.ts";
import type { Launcher, Relauncher } from "../launch/index.ts";
import type { OutboundGuard } from "../outbound/index.ts";
import type { Files } from "../files/index.ts";
import type { History } from "../history/index.ts";
import type { TriggerStarter } from "../outside/trigger/index.ts";
import type { ApprovalTickets } from "../outside/channel/index.ts";
import type { SecretBox } from "../seal/index.ts";
import type { Secrets } from "../secrets/index.ts";
import type { OpenedWork } from "../work/index.ts";
import type { Store } from "../store/index.ts";
import type { Answerers } from "./answerer.ts";
import type { Refusals } from "./audit-note.ts";
import type { HookFailures } from "./hook-failures.ts";
import type { KeyCache, Principal } from "./auth.ts";
import type { BodyRule } from "./body.ts";
import type { Authenticator } from "./authenticator.ts";
import type { CellOperations } from "./cell-operations.ts";
import type { ApiConfig } from "./config.ts";
import type { ConsoleFiles } from "./console.ts";
import type { Metrics } from "./metrics.ts";
import type { PersonCache } from "./person-cache.ts";
import type { RunEnds } from "./run-ends.ts";
import type { SessionCache } from "./session-cache.ts";
import type { SessionTickets } from "./session-tickets.ts";
import type { SignIn } from "./sign-in.ts";
import type { StreamRegistry } from "./stream-registry.ts";

/** The services that handlers use; one instance per app. */
export interface Services {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly config: ApiConfig;
  readonly keys: KeyCache;
  readonly people: PersonCache;
  readonly sessions: SessionCache;
  readonly signIn: SignIn;
  readonly callers: Authenticator;
  readonly streams: StreamRegistry;
  readonly ends: RunEnds;
  readonly metrics: Metrics;
  readonly gateways: Gateways;
  readonly files: Files;
  readonly history: History;
  readonly secrets: Secrets;
  readonly governance: OpenedGovernance;
  readonly refusals: Refusals;
  readonly hookFailures: HookFailures;
  /** Finds the persons who answer through a channel. */
  readonly answerers: Answerers;
  readonly approvalTickets: ApprovalTickets;
  readonly audit: AuditTrail;
  readonly launcher: Launcher;
  readonly relauncher: Relauncher;
  readonly triggers: TriggerStarter;
  readonly sessionTickets: SessionTickets;
  readonly work: OpenedWork;
  /** Null when the installation has one database. */
  readonly cells: CellOperations | null;
  /** Null when there is no console, only the plain pages. */
  readonly pages: ConsoleFiles | null;
}

/** The registered gateways, and the signed addresses issued for single attempts. */
export interface Gateways {
  readonly directory: GatewayDirectory;
  readonly tickets: Tickets;
  readonly box: SecretBox;
  /** Whether SLUICE_SECRET_KEY is set. Values of secrets are accepted only then. */
  readonly isKeyed: boolean;
  /** Restricts the URLs of organisations that this server calls; null when all are allowed. */
  readonly outbound: OutboundGuard | null;
  /** URL under which Bridges and outside services reach this installation; empty when unknown. */
  readonly publicUrl: string;
}

export interface Call<B, Q> {
  readonly services: Services;
  readonly request: Request;
  readonly principal: Principal;
  /** Path parameters, decoded. Each is a name that can be stored. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Q;
  readonly body: B;
  /** The body as it was sent, when it is not JSON. */
  readonly raw: Uint8Array | null;
  /** Returns the present principal of the same secret; null when the secret is no longer valid. */
  readonly reauthenticate: () => Promise<Principal | null>;
  /** Closes the connection immediately; null where there is no socket. */
  readonly closeConnection: (() => void) | null;
}

export interface Reply {
  readonly description: string;
  /** Null for no body, or one that is not JSON. */
  readonly schema: z.ZodType | null;
  readonly type?: string;
}

/** One route, as used by the router, the permission matrix, the checks of requests and the OpenAPI document. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path in OpenAPI notation: `/runs/{runId}`. */
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  /** Null when any key suffices. */
  readonly permission: Permission | null;
  readonly body: (BodyRule & { readonly schema: z.ZodType }) | null;
  /** The media type of a body that the handler streams itself; null when it does not. */
  readonly content: string | null;
  readonly query: z.ZodType | null;
  readonly replies: Readonly<Record<number, Reply>>;
  /** False when a HEAD request would open something that stays open. */
  readonly answersHead: boolean;
  /** The route concerns the person and needs no organisation. */
  readonly isPersonal: boolean;
  /** Only for a signed-in person, and not for keys. */
  readonly needsSignedInPerson: boolean;
  readonly handle: (call: Call<unknown, unknown>) => Promise<Response>;
}

interface RouteParts<B extends z.ZodType, Q extends z.ZodType> extends Omit<
  Route,
  "body" | "content" | "query" | "handle" | "answersHead" | "isPersonal" | "needsSignedInPerson"
> {
  readonly body?: BodyRule & { readonly schema: B };
  readonly content?: string;
  readonly query?: Q;
  readonly answersHead?: boolean;
  readonly isPersonal?: boolean;
  readonly needsSignedInPerson?: boolean;
  readonly handle: (call: Call<z.output<B>, z.output<Q>>) => Promise<Response>;
}

export function defineRoute<B extends z.ZodType = z.ZodUndefined, Q extends z.ZodType = z.ZodUndefined>(
  parts: RouteParts<B, Q>,
): Route {
  return {
    ...parts,
    body: parts.body ?? null,
    content: parts.content ?? null,
    query: parts.query ?? null,
    answersHead: parts.answersHead ?? true,
    isPersonal: parts.isPersonal ?? false,
    needsSignedInPerson: parts.needsSignedInPerson ?? false,
    // Safe, because the app passes values that were read by these schemas.
    handle: parts.handle as Route["handle"],
  };
}

export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store", ...headers },
  });
}
