import { jsonToText, type Json } from "../base/index.ts";
import type { MergeStrategy } from "../definition/index.ts";

export interface MergeSource {
  readonly label: string | null;
  readonly id: string;
  readonly value: Json;
}

/** Merges the values for one parameter, in edge order. */
export function mergeValues(strategy: MergeStrategy, sources: readonly MergeSource[]): Json {
  switch (strategy) {
    case "last_write_wins":
      return sources.at(-1)?.value ?? "";
    case "concat":
      return sources.map((source) => jsonToText(source.value)).join("\n\n");
    case "array":
      return sources.map((source) => source.value);
    case "json_object":
      return keyedBySource(sources);
  }
}

/**
 * Keys each value by the label of its source if the label is unique; otherwise all sources with that label use their id. If a
 * key is still taken (one source with two edges, an id equal to a label), the later one gets `_2`, `_3`, … so that no value is
 * lost.
 */
function keyedBySource(sources: readonly MergeSource[]): Json {
  const bearers = new Map<string, number>();
  for (const { label } of sources) if (label !== null) bearers.set(label, (bearers.get(label) ?? 0) + 1);
  const taken = new Map<string, number>();
  const members = sources.map(({ label, id, value }): [string, Json] => {
    const isNamed = label !== null && label !== "" && bearers.get(label) === 1 && !taken.has(label);
    return [freeKey(isNamed ? label : id, taken), value];
  });
  return Object.fromEntries(members);
}

function freeKey(wanted: string, taken: Map<string, number>): string {
  let count = taken.get(wanted) ?? 0;
  let key = wanted;
  while (taken.has(key)) {
    count += 1;
    key = `${wanted}_${count}`;
  }
  taken.set(wanted, Math.max(count, 1));
  if (key !== wanted) taken.set(key, 1);
  return key;
}
