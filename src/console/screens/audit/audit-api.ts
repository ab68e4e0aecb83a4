import { ApiProblem } from "../../../client/index.ts";
import type { AuditCategory, AuditType } from "../../../core/audit/index.ts";
import type { JsonObject } from "../../../core/base/index.ts";

export interface AuditRow {
  readonly seq: number;
  readonly at: string;
  readonly category: AuditCategory;
  readonly type: AuditType;
  readonly actor: string;
  readonly resource: string;
  readonly run?: string;
  readonly node?: string;
  readonly detail: JsonObject;
  readonly prevHash: string;
  readonly hash: string;
}

export interface ChainState {
  readonly ok: boolean;
  readonly records: number;
  readonly checkpoints: number;
  readonly lastSeq: number;
  readonly key: string | null;
  readonly sealedSeq: number;
  /** Number of the last record a signed checkpoint covers. */
  readonly checkpointSeq: number;
  readonly firstBad?: { readonly what: string; readonly seq: number; readonly line: number; readonly reason: string };
}

export interface AuditFilter {
  readonly type: string;
  readonly category: string;
  readonly run: string;
}

export interface AuditPage {
  readonly data: readonly AuditRow[];
  readonly nextCursor?: string;
}

export function listAudit(filter: AuditFilter, cursor: string | null): Promise<AuditPage> {
  const query = new URLSearchParams({ limit: "50" });
  for (const [name, value] of Object.entries(filter)) if (value !== "") query.set(name, value);
  if (cursor !== null) query.set("cursor", cursor);
  return ask(`/api/v1/audit?${query.toString()}`);
}

export function verifyAudit(): Promise<ChainState> {
  return ask("/api/v1/audit/verify");
}

async function ask<T>(path: string): Promise<T> {
  const response = await fetch(path, { credentials: "same-origin" });
  const body: unknown = await response.json().catch(() => ({}));
  if (!response.ok) throw new ApiProblem(typeof body === "object" && body !== null ? body : {}, response);
  return body as T;
}
