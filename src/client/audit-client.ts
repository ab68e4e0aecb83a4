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

/** Part of the API for audit, verdicts and usage. */
export class AuditClient extends Caller {
  /** Saved lists of runs, and trends. */
  readonly search = new SearchClient(this.requests);

  /** Lists audit records, newest first. */
  listAudit(filter: AuditFilter = {}): Promise<ListPage<AuditRow>> {
    return this.list("/audit", { query: { ...filter } });
  }

  /** Verifies the whole audit log. Returns the result and the first bad record, if there is one. */
  verifyAudit(): Promise<ChainState> {
    return this.ask("GET", "/audit/verify", {}, NEEDS.chain);
  }

  /** Streams the audit log of the organisation as NDJSON. */
  exportAudit(): Promise<ReadableStream<Uint8Array>> {
    return this.read("/audit/export", new AuditExtent());
  }

  /** Streams the packet of a run as one JSON text. */
  getPacket(runId: string): Promise<ReadableStream<Uint8Array>> {
    return this.read(`/runs/${encode(runId)}/packet`, new JsonExtent('{"format":'));
  }

  /** Lists verdicts in the order they were made. With `node`, only the verdicts of one node. */
  listVerdicts(runId: string, filter: PageOptions & { node?: string } = {}): Promise<ListPage<NodeVerdict>> {
    return this.list(`/runs/${encode(runId)}/verdicts`, { query: { ...filter } });
  }

  getUsage(request: UsageQuery = {}): Promise<Usage> {
    return this.ask("GET", "/usage", { query: { ...request } }, NEEDS.usage);
  }

  /** Tests a policy against past runs. `policy` is its manifest or only the spec. */
  backtestPolicy(policy: JsonObject, since?: string): Promise<BacktestReport> {
    return this.ask("POST", "/policies/backtest", { body: { policy, since } }, NEEDS.backtest);
  }
}
