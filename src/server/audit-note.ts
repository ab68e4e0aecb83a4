import { auditEntry, type AuditType } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { isPersonId, isTokenKeyId, type Principal } from "./auth.ts";
import type { Services } from "./route.ts";

type Audited = Pick<Services, "store" | "config">;

/** Records a change that was made through the API in the audit, before the caller is answered. */
export async function noteChange(
  { store, config }: Audited,
  { orgId, keyId }: Pick<Principal, "orgId" | "keyId">,
  type: AuditType,
  resource: string,
  detail: JsonObject = {},
): Promise<void> {
  await store.appendAudit(orgId, [auditEntry({ at: config.now(), type, actor: keyId, resource, detail })]);
}

interface RecordedAs {
  readonly type: AuditType;
  readonly resource: string;
}

const QUIET_MS = 60_000;
const KEYS_MAX = 10_000;

/**
 * Records who asked for what they may not have, and who was not let in; each once a minute, so that a caller that keeps
 * trying does not fill the audit.
 */
export class Refusals {
  readonly #recordedAt = new Map<string, number>();

  note(services: Audited, principal: Principal, asked: string): void {
    const { orgId, keyId } = principal;
    this.#record(services, "permission", { orgId, keyId }, { asked });
  }

  /** A caller came with a token that gives access to nothing. */
  noteSignIn(services: Audited, orgId: string, keyId: string, code: string): void {
    this.#record(services, code, { orgId, keyId }, { code });
  }

  /** A person answered what was not asked of them. */
  noteAnswer(services: Audited, principal: Principal, approvalId: string, detail: JsonObject): void {
    const { orgId, keyId, label: by } = principal;
    const topic = `answer ${approvalId}`;
    this.#record(
      services,
      topic,
      { orgId, keyId },
      { approvalId, by, ...detail },
      {
        type: "approval.refused",
        resource: `approval/${approvalId}`,
      },
    );
  }

  #record(
    services: Audited,
    why: string,
    who: Pick<Principal, "orgId" | "keyId">,
    detail: JsonObject,
    as?: RecordedAs,
  ): void {
    const { config } = services;
    const now = config.now();
    const topic = `${why} ${who.orgId} ${who.keyId}`;
    if (now - (this.#recordedAt.get(topic) ?? 0) < QUIET_MS) return;
    if (this.#recordedAt.size >= KEYS_MAX) this.#recordedAt.clear();
    this.#recordedAt.set(topic, now);
    const failed = {
      type: "auth.failed",
      resource: `${kindOf(who.keyId)}/${who.keyId}`,
    } as const;
    const { type, resource } = as ?? failed;
    noteChange(services, who, type, resource, detail).catch((error: unknown) =>
      config.onTrouble("a refusal could not be audited", error),
    );
  }
}

function kindOf(keyId: string): "person" | "token" | "key" {
  if (isPersonId(keyId)) return "person";
  return isTokenKeyId(keyId) ? "token" : "key";
}
