import type {
  AuditFilter,
  AuditRow,
  BacktestReport,
  ChainState,
  ListPage,
  NodeVerdict,
  PageOptions,
  Usage,
  UsageQuery,
} from "../contract/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { NEEDS } from "./answer-needs.ts";
import { Caller } from "./caller.ts";
import { AuditExtent, JsonExtent } from "./extent.ts";
import { encode } from "./query.ts";
import { SearchClient } from "./search-client.ts";

/** What was done, judged and spent. */
export class AuditClient extends Caller {
  /** Saved lists of runs, and what runs add up to. */
  readonly search = new SearchClient(this.door);

  /** Newest first. */
  listAudit(filter: AuditFilter = {}): Promise<ListPage<AuditRow>> {
    return this.list("/audit", { query: { ...filter } });
  }

  /** Verifies the whole log: what was found, and the first bad record if there is one. */
  verifyAudit(): Promise<ChainState> {
    return this.ask("GET", "/audit/verify", {}, NEEDS.chain);
  }

  /** The audit log of the organisation, as NDJSON, as it comes. */
  exportAudit(): Promise<ReadableStream<Uint8Array>> {
    return this.read("/audit/export", new AuditExtent());
  }

  /** Everything about a run as one JSON text, as it comes. */
  getPacket(runId: string): Promise<ReadableStream<Uint8Array>> {
    return this.read(`/runs/${encode(runId)}/packet`, new JsonExtent('{"format":'));
  }

  /** In the order they were made; with `node` only those of one node. */
  listVerdicts(runId: string, filter: PageOptions & { node?: string } = {}): Promise<ListPage<NodeVerdict>> {
    return this.list(`/runs/${encode(runId)}/verdicts`, { query: { ...filter } });
  }

  getUsage(request: UsageQuery = {}): Promise<Usage> {
    return this.ask("GET", "/usage", { query: { ...request } }, NEEDS.usage);
  }

  /** `policy` as its manifest, or the spec of one. */
  backtestPolicy(policy: JsonObject, since?: string): Promise<BacktestReport> {
    return this.ask("POST", "/policies/backtest", { body: { policy, since } }, NEEDS.backtest);
  }
}
