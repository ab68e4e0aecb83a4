import type { Needs } from "./caller.ts";

/** What each answer has at least; without it, it is not the answer of a Sluice server. */
export const NEEDS = {
  run: ["id", "status"],
  state: ["status", "nodeResults"],
  checkpoint: ["eventId", "state"],
  node: ["node", "attempts"],
  approval: ["id", "status", "digest"],
  newKey: ["id", "key"],
  registered: ["id"],
  workflow: ["name", "version"],
  version: ["name", "version", "source"],
  validation: ["ok", "problems"],
  chain: ["ok", "records"],
  applied: ["applied"],
  platform: ["open"],
  usage: ["data", "totals"],
  backtest: ["policy", "counts"],
  simulation: ["status", "nodes", "forecast"],
} as const satisfies Readonly<Record<string, Needs>>;
