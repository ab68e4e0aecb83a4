import { auditEntry, type AuditType } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { Principal } from "./auth.ts";
import type { Services } from "./route.ts";

/** Tells the audit of a change somebody made through the API, before they are answered. */
export async function noteChange(
  { store, config }: Pick<Services, "store" | "config">,
  { orgId, keyId }: Pick<Principal, "orgId" | "keyId">,
  type: AuditType,
  resource: string,
  detail: JsonObject = {},
): Promise<void> {
  await store.appendAudit(orgId, [auditEntry({ at: config.now(), type, actor: `key/${keyId}`, resource, detail })]);
}

const QUIET_MS = 60_000;
const KEYS_MAX = 10_000;

/** Keys that asked for what they may not have. Told once a minute each: whoever keeps trying must not fill the audit. */
export class Refusals {
  readonly #told = new Map<string, number>();

  note(services: Pick<Services, "store" | "config">, principal: Principal, asked: string): void {
    const { config } = services;
    const now = config.now();
    const { keyId } = principal;
    if (now - (this.#told.get(keyId) ?? 0) < QUIET_MS) return;
    if (this.#told.size >= KEYS_MAX) this.#told.clear();
    this.#told.set(keyId, now);
    noteChange(services, principal, "auth.failed", `key/${keyId}`, { asked }).catch((error: unknown) =>
      config.onTrouble("a refusal could not be audited", error),
    );
  }
}
