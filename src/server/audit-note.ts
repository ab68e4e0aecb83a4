import { auditEntry, type AuditType } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { isTokenKeyId, type Principal } from "./auth.ts";
import type { Services } from "./route.ts";

type Audited = Pick<Services, "store" | "config">;

/** Tells the audit of a change somebody made through the API, before they are answered. */
export async function noteChange(
  { store, config }: Audited,
  { orgId, keyId }: Pick<Principal, "orgId" | "keyId">,
  type: AuditType,
  resource: string,
  detail: JsonObject = {},
): Promise<void> {
  await store.appendAudit(orgId, [auditEntry({ at: config.now(), type, actor: keyId, resource, detail })]);
}

const QUIET_MS = 60_000;
const KEYS_MAX = 10_000;

/**
 * Who asked for what they may not have, and who was not let in. Told once a minute each: whoever keeps trying must not
 * fill the audit.
 */
export class Refusals {
  readonly #told = new Map<string, number>();

  note(services: Audited, principal: Principal, asked: string): void {
    const { orgId, keyId } = principal;
    this.#tell(services, "permission", { orgId, keyId }, { asked });
  }

  /** Somebody came with a token that opens nothing, for one reason or another. */
  noteSignIn(services: Audited, orgId: string, keyId: string, code: string): void {
    this.#tell(services, code, { orgId, keyId }, { code });
  }

  #tell(services: Audited, why: string, who: Pick<Principal, "orgId" | "keyId">, detail: JsonObject): void {
    const { config } = services;
    const now = config.now();
    const topic = `${why} ${who.orgId} ${who.keyId}`;
    if (now - (this.#told.get(topic) ?? 0) < QUIET_MS) return;
    if (this.#told.size >= KEYS_MAX) this.#told.clear();
    this.#told.set(topic, now);
    const resource = `${isTokenKeyId(who.keyId) ? "token" : "key"}/${who.keyId}`;
    noteChange(services, who, "auth.failed", resource, detail).catch((error: unknown) =>
      config.onTrouble("a refusal could not be audited", error),
    );
  }
}
