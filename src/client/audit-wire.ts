/** What the API says of the audit log, as types. */
import type { AuditCategory, AuditType } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { PageOptions } from "./wire.ts";

export interface AuditFilter extends PageOptions {
  readonly type?: AuditType;
  readonly category?: AuditCategory;
  readonly run?: string;
}

/** A record of the chain. */
export interface AuditRow {
  readonly seq: number;
  readonly at: string;
  readonly org: string;
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

/** What verifying the whole log found. */
export interface ChainState {
  readonly ok: boolean;
  /** Records that are there and good. */
  readonly records: number;
  readonly checkpoints: number;
  readonly lastSeq: number;
  /** Public half of the key that signs. */
  readonly key: string | null;
  readonly sealedSeq: number;
  /** Number of the last record a signed checkpoint covers. */
  readonly checkpointSeq: number;
  readonly firstBad?: { readonly what: string; readonly seq: number; readonly line: number; readonly reason: string };
}
