import { formatPath, isJsonArray, isJsonObject, type Json, type PathSegment } from "../base/index.ts";

/** A link back to the root, so that a path is formatted only when it is needed. */
interface Visit {
  readonly value: Json;
  readonly segment: PathSegment | null;
  readonly from: Visit | null;
}

export interface JsonText {
  readonly text: string;
  readonly path: () => string;
}

const PATH_LENGTH_MAX = 200;
/** Smaller numbers have too few digits to contain a match. */
const LONG_NUMBER_MIN = 1e11;

/**
 * Yields every text of a value. Keys come before their values, so that a path is reported only when its keys have passed. It
 * does not recurse, because the data of an adapter may be nested deeper than the stack.
 */
export function* textsOf(root: Json): Generator<JsonText> {
  const open: Visit[] = [{ value: root, segment: null, from: null }];
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    const { value } = visit;
    const path = pathTo(visit);
    if (typeof value === "string") yield { text: value, path };
    else if (typeof value === "number" && Math.abs(value) >= LONG_NUMBER_MIN) yield { text: String(value), path };
    else if (isJsonArray(value)) {
      for (let index = value.length - 1; index >= 0; index -= 1) {
        open.push({ value: value[index] ?? null, segment: index, from: visit });
      }
    } else if (isJsonObject(value)) {
      const entries = Object.entries(value);
      for (const [key] of entries) yield { text: key, path };
      for (const [segment, member] of entries.reverse()) open.push({ value: member, segment, from: visit });
    }
  }
}

function pathTo(visit: Visit): () => string {
  return () => {
    const segments: PathSegment[] = [];
    for (let step: Visit | null = visit; step !== null && step.segment !== null; step = step.from) {
      segments.push(step.segment);
    }
    const text = formatPath(segments.reverse());
    return text.length <= PATH_LENGTH_MAX ? text : `${text.slice(0, PATH_LENGTH_MAX)}…`;
  };
}
