import type { Sql, SqlRow, SqlValue, Statement } from "../sql.ts";
import { lookUp } from "./look-up.ts";

/**
 * Connections plan a statement once for all values, which suits the few statements that run all the time. A statement
 * whose best plan depends on how rare a value is gets planned for the actual values.
 */
const FRESH_PLAN = {
  name: "plan anew",
  text: "select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_seqscan', 'on', true)",
};

export function lookUpWithFreshPlan<Row = SqlRow>(
  sql: Sql,
  statement: Statement,
  params: readonly SqlValue[],
): Promise<readonly Row[]> {
  return sql.transaction(async (within) => {
    await within.query(FRESH_PLAN);
    return lookUp<Row>(within, statement, params);
  });
}
