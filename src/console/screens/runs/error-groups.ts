import type { Run } from "../../../client/index.ts";

/** Runs that failed with the same error. */
export interface ErrorGroup {
  readonly key: string;
  readonly code: string | null;
  /** The message of the newest run. */
  readonly message: string;
  readonly runs: readonly Run[];
  readonly workflows: readonly string[];
}

/** The parts of a message that differ from run to run: ids, numbers and quoted texts. */
const VARIABLE_PARTS = /"[^"]*"|'[^']*'|\b[0-9a-f]{8,}\b|\b[a-z]+_[0-9a-z]{16,}\b|\d+/gi;

/** Groups runs by error, most frequent first. Runs without an error are left out. */
export function groupByError(runs: readonly Run[]): readonly ErrorGroup[] {
  const groups = new Map<string, { readonly newest: NonNullable<Run["error"]>; readonly runs: Run[] }>();
  for (const run of runs) {
    if (run.error === undefined) continue;
    const { code, message } = run.error;
    const key = `${code ?? ""} ${message.replaceAll(VARIABLE_PARTS, "#")}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { newest: run.error, runs: [run] });
    else known.runs.push(run);
  }
  return [...groups]
    .map(([key, { newest, runs: members }]) => ({
      key,
      code: newest.code,
      message: newest.message,
      runs: members,
      workflows: [...new Set(members.map(({ workflow }) => workflow))],
    }))
    .sort((left, right) => right.runs.length - left.runs.length);
}
