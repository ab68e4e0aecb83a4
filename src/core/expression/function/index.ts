import type { FunctionEntry, FunctionGroup } from "./function.ts";
import { LIST_FUNCTIONS } from "./list.ts";
import { NUMBER_FUNCTIONS } from "./number.ts";
import { OBJECT_FUNCTIONS } from "./object.ts";
import { TEXT_FUNCTIONS } from "./text.ts";
import { TIME_FUNCTIONS } from "./time.ts";
import { VALUE_FUNCTIONS } from "./value.ts";

export { Call, type Applier } from "./call.ts";
export { parameterAt, signatureOf, type FunctionEntry } from "./function.ts";

/** Every function. The documentation is generated from this table, and a test runs its examples. */
export const FUNCTIONS: Readonly<Record<FunctionGroup, readonly FunctionEntry[]>> = {
  text: TEXT_FUNCTIONS,
  numbers: NUMBER_FUNCTIONS,
  lists: LIST_FUNCTIONS,
  objects: OBJECT_FUNCTIONS,
  values: VALUE_FUNCTIONS,
  time: TIME_FUNCTIONS,
};

const BY_NAME: ReadonlyMap<string, FunctionEntry> = new Map(
  Object.values(FUNCTIONS).flatMap((entries) => entries.map((entry) => [entry.name, entry] as const)),
);

export const FUNCTION_NAMES: readonly string[] = [...BY_NAME.keys()];

export function findFunction(name: string): FunctionEntry | undefined {
  return BY_NAME.get(name);
}
