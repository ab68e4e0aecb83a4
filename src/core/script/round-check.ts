import type { TreePath } from "../base/index.ts";
import type { ScriptEntry } from "./script.ts";
import type { ScriptCall } from "./script-round.ts";

export interface EntryMistake {
  /** Path inside the entry. */
  readonly path: TreePath;
  readonly code: "conflicting_fields" | "bad_number" | "missing_field";
  readonly message: string;
}

/** Keys allowed beside `rounds`. The rounds themselves specify everything else. */
const BESIDE_ROUNDS: ReadonlySet<string> = new Set(["rounds", "delay_ms", "duplicate_callback"]);
const ENDS: readonly (keyof ScriptCall)[] = ["result", "fail", "hang"];

/** Checks rules that the schema cannot express: which keys may occur together, and that the rounds end with an answer. */
export function checkRounds(entry: ScriptEntry): readonly EntryMistake[] {
  const { rounds } = entry;
  if (rounds === undefined) return [];
  const mistakes: EntryMistake[] = [];
  for (const key of Object.keys(entry).filter((name) => !BESIDE_ROUNDS.has(name))) {
    const message = `"${key}" and "rounds" exclude each other: write it into a round.`;
    mistakes.push({ path: [key], code: "conflicting_fields", message });
  }
  for (const [index, round] of rounds.entries()) {
    for (const key of ["on_deny", "on_changed"] as const) {
      const named = round[key];
      if (named === undefined || named < rounds.length) continue;
      const message = `"${key}" names round ${named}; the rounds are 0 to ${rounds.length - 1}.`;
      mistakes.push({ path: ["rounds", index, key], code: "bad_number", message });
    }
    for (const [position, call] of (round.calls ?? []).entries()) {
      const [, second] = ENDS.filter((key) => call[key] !== undefined);
      if (second === undefined) continue;
      const message = 'A call ends in one way: "result", "fail" or "hang".';
      mistakes.push({ path: ["rounds", index, "calls", position, second], code: "conflicting_fields", message });
    }
  }
  const last = rounds.at(-1);
  if ((last?.calls ?? []).length > 0 && last?.fail === undefined) {
    const message = "The last round has calls, so that the turn has no answer: add a round without calls after it.";
    mistakes.push({ path: ["rounds", rounds.length - 1], code: "missing_field", message });
  }
  return mistakes;
}
