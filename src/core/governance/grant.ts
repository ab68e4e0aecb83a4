import { matchesGlob } from "../base/index.ts";
import { ANY_OBJECT, closedObject, evaluateCondition, walk } from "../expression/index.ts";
import type { Grant } from "./registered.ts";
import type { CallFacts } from "./tool-fact.ts";

/** The values that the condition of a grant may read. */
export const GRANT_FACTS = closedObject([["tool", closedObject([["args", ANY_OBJECT]])]]);

/** Returns the first grant that covers a call. A grant whose condition cannot be evaluated covers nothing. */
export function grantFor({ grants, tool, run, agentId, at }: CallFacts): Grant | null {
  for (const grant of grants) {
    const isMeant = grant.run === null ? grant.agent === agentId : grant.run === run.runId;
    if (!isMeant || !(at < grant.until) || !matchesGlob(grant.tool, tool.name)) continue;
    if (grant.where === null) return grant;
    const subject = { tool: { args: tool.args } };
    const holds = evaluateCondition(grant.where.root, ({ segments }) => walk(subject, segments));
    if (holds.ok && holds.value) return grant;
  }
  return null;
}
