import { auditEntry, type AuditType } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { isPersonId, isTokenKeyId, type Principal } from "./auth.ts";
import type { Services } from "./route.ts";

type Audited = Pick<Services, "store" | "config">;

/** Records a change made through the API in the audit before the caller receives the response. */
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
  readonly run?: string;
  readonly node?: string;
}

interface AnsweredApproval {
  readonly id: string;
  /** Absent when the approval concerns a launch. */
  readonly run?: string;
  readonly node?: string;
}

type RefusedCaller = Pick<Principal, "orgId" | "keyId" | "label">;
type RefusedAnswer = { readonly code: string } & JsonObject;

const QUIET_MS = 60_000;
const KEYS_MAX = 10_000;

/**
 * Records callers who lack a permission or were not let in. Each is recorded once a minute at most, so that a caller
 * who keeps trying does not fill the audit.
 */
export class Refusals {
  readonly #recordedAt = new Map<string, number>();

  note(services: Audited, principal: Principal, asked: string): void {
    const { orgId, keyId } = principal;
    void this.#record(services, "permission", { orgId, keyId }, { asked });
  }

  /** Records a caller whose token gives access to nothing. */
  noteSignIn(services: Audited, orgId: string, keyId: string, code: string): void {
    void this.#record(services, code, { orgId, keyId }, { code });
  }

  /** Records a refused answer: the person was not asked, or the approval is closed or has changed since. */
  async noteAnswer(services: Audited, caller: RefusedCaller, approval: AnsweredApproval, answer: RefusedAnswer) {
    const { orgId, keyId, label: by } = caller;
    const { id: approvalId, ...place } = approval;
    const as = { type: "approval.refused", resource: `approval/${approvalId}`, ...place } as const;
    await this.#record(
      services,
      `answer ${approvalId} ${answer.code}`,
      { orgId, keyId },
      { approvalId, by, ...answer },
      as,
    );
  }

  async #record(
    services: Audited,
    why: string,
    who: Pick<Principal, "orgId" | "keyId">,
    detail: JsonObject,
    as?: RecordedAs,
  ): Promise<void> {
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
    const entry = auditEntry({ at: now, actor: who.keyId, detail, ...(as ?? failed) });
    await services.store
      .appendAudit(who.orgId, [entry])
      .catch((error: unknown) => config.onTrouble("a refusal could not be audited", error));
  }
}

function kindOf(keyId: string): "person" | "token" | "key" {
  if (isPersonId(keyId)) return "person";
  return isTokenKeyId(keyId) ? "token" : "key";
}
