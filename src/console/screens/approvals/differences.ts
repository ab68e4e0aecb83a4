import type { InboxItem } from "../../../client/index.ts";
import { shownText } from "../../../core/view/index.ts";
import { dollars } from "../../parts/figures.ts";

export interface Differences {
  readonly names: readonly string[];
  /** The values by approval id, in the order of `names`. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Compares approvals of one group: returns a column for each value that is not the same in all of them. */
export function differencesOf(items: readonly InboxItem[]): Differences {
  const args = [...new Set(items.flatMap(({ subject }) => Object.keys(subject?.args ?? {})))];
  const columns: readonly (readonly [string, (item: InboxItem) => string])[] = [
    ...args.map((name) => [name, (item: InboxItem) => shownText(item.subject?.args[name])] as const),
    ["Title", ({ title }) => title],
    ["What is sent", ({ subject }) => shownText(subject?.request?.message ?? "")],
    ["Cost so far", ({ subject }) => dollars(subject?.costMicros ?? 0)],
    ["Estimate", ({ subject }) => dollars(subject?.estimateMicros ?? 0)],
  ];
  const differing = columns.filter(([, textOf]) => new Set(items.map(textOf)).size > 1);
  return {
    names: differing.map(([name]) => name),
    values: new Map(items.map((item) => [item.id, differing.map(([, textOf]) => shortText(textOf(item)))])),
  };
}

const TEXT_SHOWN = 160;

function shortText(text: string): string {
  return text.length <= TEXT_SHOWN ? text : `${text.slice(0, TEXT_SHOWN)} …`;
}
