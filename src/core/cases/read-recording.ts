import { isJsonObject, type JsonObject, type Problem } from "../base/index.ts";
import { problemAt } from "../script/index.ts";
import { readSource } from "../text/index.ts";
import { readCaseAt, type TestCase } from "./case-file.ts";

/** A recorded run: the case that repeats it, and its result. */
export interface Recording {
  readonly case: TestCase;
  readonly snapshot: JsonObject;
}

/** Reads a recording. It is a case without a name, with the run, its workflow and a snapshot. */
export function readRecording(source: string | Uint8Array): {
  readonly recording: Recording | null;
  readonly problems: readonly Problem[];
} {
  const { tree, problems } = readSource(source);
  if (tree === null || problems.length > 0) return { recording: null, problems };
  const { value } = tree;
  if (!isJsonObject(value) || !isJsonObject(value["snapshot"] ?? null)) {
    const message = "A recording is a map with the keys run, workflow, args, answers and snapshot.";
    return { recording: null, problems: [problemAt(tree, [], "wrong_type", message)] };
  }
  const { run, workflow: _workflow, snapshot, ...written } = value;
  const read = readCaseAt(tree, [], { name: typeof run === "string" ? run : "recorded", ...written });
  if (read.case === null) return { recording: null, problems: read.problems };
  return { recording: { case: read.case, snapshot: snapshot as JsonObject }, problems: [] };
}
