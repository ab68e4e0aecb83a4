import { type MovesPlan, surviveMoves } from "./moves.ts";

/** Moves an organisation so many times while servers die, and prints what came of it. */
export async function campaignOnCells(plan: MovesPlan): Promise<number> {
  const { moves, streams, runs, completed, events, calls, repeatedCalls, violations } = await surviveMoves(plan);
  plan.note("");
  plan.note(
    `cells: ${moves} moves of ${plan.runs} runs, ${runs} runs under way (${completed} completed), ${events} events, ` +
      `${calls} calls (${repeatedCalls} repeated), ${streams} streams: ${violations.length} violations`,
  );
  for (const violation of violations) plan.note(`        ${violation}`);
  return violations.length === 0 && moves > 1 && streams > 0 ? 0 : 1;
}
