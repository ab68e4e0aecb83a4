import {
  type Backtest,
  backtest,
  type ConditionCache,
  CONTRADICTION,
  factsFromRecord,
  isRoundRecord,
  isToolRecord,
  type RecordedVerdict,
  type Policy,
  toolFactsFromRecord,
} from "../core/governance/index.ts";
import { isJsonObject } from "../core/base/index.ts";
import type { GovernanceStore, Listed, RunVerdict } from "../store/index.ts";

/** Maximum number of verdicts a draft is tested on; the newest are used. */
export const BACKTEST_VERDICTS_MAX = 10_000;
/** Verdicts read and judged at a time. */
const SLICE = 250;
const EXAMPLES_MAX = 20;

export interface PolicyBacktest extends Omit<Backtest, "outcomes"> {
  /** Verdicts whose facts cannot be read any more. */
  readonly unreadable: number;
  /** True when there are more verdicts than were tested. */
  readonly isLimited: boolean;
}

/** Tests a draft policy on the verdicts since a given time, newest first. */
export async function backtestPolicy(
  store: Pick<GovernanceStore, "listVerdicts">,
  orgId: string,
  draft: Policy,
  since: number,
): Promise<PolicyBacktest> {
  const cache: ConditionCache = new Map();
  let found: Omit<Backtest, "outcomes"> = NOTHING;
  let unreadable = 0;
  let left = BACKTEST_VERDICTS_MAX;
  let cursor: string | null = null;
  do {
    const page: Listed<RunVerdict> = await store.listVerdicts(orgId, since, { limit: Math.min(SLICE, left), cursor });
    const past: RecordedVerdict[] = [];
    for (const verdict of page.data) {
      const read = readVerdict(verdict, draft.category, cache);
      if (read === "unreadable") unreadable += 1;
      else if (read !== "foreign") past.push(read);
    }
    found = mergeResults(found, backtest(draft, past));
    left -= page.data.length;
    cursor = page.nextCursor;
    // Let other work run, because reading may not wait for anything.
    await new Promise((resolve) => setImmediate(resolve));
  } while (cursor !== null && left > 0);
  return { ...found, unreadable, isLimited: cursor !== null };
}

/** "foreign": the verdict is of a kind that the draft does not apply to. */
function readVerdict(
  { verdictId: id, disposition, gate, body }: RunVerdict,
  category: Policy["category"],
  cache: ConditionCache,
): RecordedVerdict | "foreign" | "unreadable" {
  const record = body["facts"];
  if (!isJsonObject(record)) return "unreadable";
  if (isRoundRecord(record)) return "foreign";
  const isTool = isToolRecord(record);
  // A draft about tools also applies to nodes that are tool calls themselves.
  if (isTool !== (category === "tool") && (isTool || record["call"] === undefined)) return "foreign";
  if (isTool) {
    const facts = toolFactsFromRecord(record, cache);
    return facts === null ? "unreadable" : { id, about: "tool", facts, disposition };
  }
  const facts = factsFromRecord(record, cache);
  if (facts === null) return "unreadable";
  return { id, facts, disposition, isContradiction: gate === CONTRADICTION.gate };
}

const NOTHING: Omit<Backtest, "outcomes"> = {
  looked: 0,
  matched: 0,
  changed: 0,
  uncertain: 0,
  counts: [],
  examples: [],
};

function mergeResults(before: Omit<Backtest, "outcomes">, more: Backtest): Omit<Backtest, "outcomes"> {
  const counts = new Map(before.counts.map((pair) => [`${pair.before} ${pair.after}`, pair]));
  for (const pair of more.counts) {
    const key = `${pair.before} ${pair.after}`;
    counts.set(key, { ...pair, count: pair.count + (counts.get(key)?.count ?? 0) });
  }
  return {
    looked: before.looked + more.looked,
    matched: before.matched + more.matched,
    changed: before.changed + more.changed,
    uncertain: before.uncertain + more.uncertain,
    counts: [...counts.values()],
    examples: [...before.examples, ...more.examples].slice(0, EXAMPLES_MAX),
  };
}
