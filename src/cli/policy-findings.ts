import { ApiError, type Registered } from "../client/index.ts";
import { getOwn } from "../core/base/index.ts";
import { conditionProblems } from "../registry/index.ts";
import type { Api } from "./api.ts";
import { type Finding, unset, wrong } from "./finding.ts";
import { serverFailure } from "./gateway-findings.ts";
import { oneLine } from "./terminal-text.ts";

const PAGE = 100;

/** Finds saved policies with a condition on a fact that does not exist. They were saved before this was checked, and never fire. */
export async function policyFindings(api: Pick<Api, "url" | "listRegistered">): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  let cursor: string | undefined;
  try {
    do {
      const page = await api.listRegistered("policies", { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
      findings.push(...page.data.flatMap(findingsOf));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return findings;
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 403) {
      return [unset("policies", "the key has no permission to read policies", "use a key that may read governance")];
    }
    return [serverFailure("policies", api.url, thrown)];
  }
}

function findingsOf(policy: Registered): readonly Finding[] {
  const problems = conditionProblems(getOwn(policy, "condition"), getOwn(policy, "category"));
  return problems.map(({ message, hint }) =>
    wrong(`policy ${oneLine(policy.id)}`, oneLine(message), hint ?? "change its condition, and apply it again"),
  );
}
