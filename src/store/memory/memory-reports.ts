import { compareCodeUnits } from "../../core/base/index.ts";
import type { ReportStore, ThreadPart } from "../registry-store.ts";
import { copy, type MemoryWorld } from "./memory-world.ts";

export function memoryReports(world: MemoryWorld): ReportStore {
  return {
    reportsOf: async (orgId, runId, nodeId) =>
      [...world.reports.values()]
        .filter((report) => report.orgId === orgId && report.runId === runId && report.nodeId === nodeId)
        .sort((left, right) => left.attempt - right.attempt)
        .map(({ orgId: _org, runId: _run, ...report }) => copy(report)),
    readThread: async (orgId, agentId, sessionId, limit) =>
      [...world.reports.values()]
        .filter((part) => part.orgId === orgId && part.agentId === agentId && part.sessionId === sessionId)
        .sort(order)
        .slice(-limit)
        .map(({ orgId: _org, ...part }) => copy(part)),
  };
}

function order(left: ThreadPart, right: ThreadPart): number {
  return (
    left.at - right.at ||
    compareCodeUnits(left.runId, right.runId) ||
    compareCodeUnits(left.nodeId, right.nodeId) ||
    left.attempt - right.attempt
  );
}
