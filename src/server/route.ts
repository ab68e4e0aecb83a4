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
import type { KeyRing, Principal } from "./auth.ts";
import type { BodyRule } from "./body.ts";
import type { Authenticator } from "./authenticator.ts";
import type { CellOperations } from "./cell-operations.ts";
import type { ApiConfig } from "./config.ts";
import type { ConsoleFiles } from "./console.ts";
import type { Metrics } from "./metrics.ts";
import type { PersonRing } from "./person-ring.ts";
import type { SessionRing } from "./session-ring.ts";
import type { SessionTickets } from "./session-tickets.ts";
import type { SignIn } from "./sign-in.ts";
import type { StreamRegistry } from "./stream-registry.ts";

/** What handlers work with; one per app. */
export interface Services {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly config: ApiConfig;
  readonly keys: KeyRing;
  readonly people: PersonRing;
  readonly sessions: SessionRing;
  readonly signIn: SignIn;
  readonly callers: Authenticator;
  readonly streams: StreamRegistry;
  readonly metrics: Metrics;
  readonly gateways: Gateways;
  readonly files: Files;
  readonly history: History;
  readonly secrets: Secrets;
  readonly governance: OpenedGovernance;
  readonly refusals: Refusals;
  readonly hookFailures: HookFailures;
  /** Who answers from outside. */
  readonly answerers: Answerers;
  readonly approvalTickets: ApprovalTickets;
  readonly audit: AuditTrail;
  readonly launcher: Launcher;
  readonly relauncher: Relauncher;
  readonly triggers: TriggerStarter;
  readonly sessionTickets: SessionTickets;
  readonly work: OpenedWork;
  /** Null: the installation has one database. */
  readonly cells: CellOperations | null;
  /** Null: there is no console, only the plain pages. */
  readonly pages: ConsoleFiles | null;
}

/** The places of execution, and the addresses given out for single attempts. */
export interface Gateways {
  readonly directory: GatewayDirectory;
  readonly tickets: Tickets;
  readonly box: SecretBox;
  /** Whether SLUICE_SECRET_KEY is set: only then are values of secrets taken. */
  readonly isKeyed: boolean;
  /** Which URLs of organisations this server calls; null: it calls any. */
  readonly outbound: OutboundGuard | null;
  /** Where Bridges and services outside reach this installation; empty when that is not known. */
  readonly publicUrl: string;
}

export interface Call<B, Q> {
  readonly services: Services;
  readonly request: Request;
  readonly principal: Principal;
  /** Path parameters, decoded; each is a name that can be stored. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Q;
  readonly body: B;
  /** The body as it was sent, when it is not JSON. */
  readonly raw: Uint8Array | null;
  /** Who the same secret belongs to now; null when it is no longer good for anything. */
  readonly reauthenticate: () => Promise<Principal | null>;
  /** Ends the connection without further words; null where there is no socket. */
  readonly hangUp: (() => void) | null;
}

export interface Reply {
  readonly description: string;
  /** Null: no body, or one that is not JSON. */
  readonly schema: z.ZodType | null;
  readonly type?: string;
}

/** One route: the router, the permission matrix, the checks of what is sent and the OpenAPI document all read it. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As OpenAPI writes it: `/runs/{runId}`. */
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  /** Null: any key will do. */
  readonly permission: Permission | null;
  readonly body: (BodyRule & { readonly schema: z.ZodType }) | null;
  /** The type of a body that the handler reads itself, as it comes; null: there is none. */
  readonly content: string | null;
  readonly query: z.ZodType | null;
  readonly replies: Readonly<Record<number, Reply>>;
  /** False where a look without the body would open something that stays open. */
  readonly answersHead: boolean;
  /** About the person: needs no organisation. */
  readonly isPersonal: boolean;
  /** Only for a person who is signed in, and for no key. */
  readonly isInPerson: boolean;
  readonly handle: (call: Call<unknown, unknown>) => Promise<Response>;
}

interface RouteParts<B extends z.ZodType, Q extends z.ZodType> extends Omit<
  Route,
  "body" | "content" | "query" | "handle" | "answersHead" | "isPersonal" | "isInPerson"
> {
  readonly body?: BodyRule & { readonly schema: B };
  readonly content?: string;
  readonly query?: Q;
  readonly answersHead?: boolean;
  readonly isPersonal?: boolean;
  readonly isInPerson?: boolean;
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
    isInPerson: parts.isInPerson ?? false,
    // The app calls it with what these very schemas have read.
    handle: parts.handle as Route["handle"],
  };
}

export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store", ...headers },
  });
}
