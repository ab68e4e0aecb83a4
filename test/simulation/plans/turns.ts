import type { Prng } from "../prng.ts";
import { TOOLS } from "../world/tool-server.ts";

type Fields = Record<string, unknown>;

/** Steps that name tools, also inside blocks: drawn apart, so that all else of a plan is as it was. */
export function addTurns(rng: Prng, steps: readonly Fields[]): void {
  for (const fields of steps) {
    for (const inner of innerSteps(fields)) addTurns(rng, inner);
    if (typeof fields["command"] !== "string" || !rng.chance(0.7)) continue;
    fields["tools"] = TOOLS.filter((_, index) => index === 0 || rng.chance(0.6)).map((name) => ({
      name,
      action: "execute",
    }));
    if (rng.chance(0.3)) fields["turn"] = drawLimits(rng);
    if (rng.chance(0.2)) fields["models"] = ["first", "second", "third"].slice(0, rng.between(2, 3));
    // Several rounds take their time.
    fields["timeout"] = rng.between(4, 20);
  }
}

function drawLimits(rng: Prng): Fields {
  return {
    max_rounds: rng.between(1, 4),
    ...(rng.chance(0.5) ? { max_tool_calls: rng.between(1, 4) } : {}),
    ...(rng.chance(0.3) ? { max_repeats: 1 } : {}),
  };
}

function innerSteps({ steps, choose }: Fields): readonly (readonly Fields[])[] {
  const branches = Array.isArray(choose) ? (choose as readonly Fields[]) : [];
  const lists = [steps, ...branches.flatMap((branch) => [branch["steps"], branch["else"]])];
  return lists.filter((list): list is readonly Fields[] => Array.isArray(list));
}
