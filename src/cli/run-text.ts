/** Facts of a run as lines for people. */
import { isTerminal } from "../core/event/index.ts";
import { WAITING_TEXTS } from "../core/view/index.ts";
import type { Run, State } from "../client/index.ts";
import { formatDuration } from "./figures.ts";
import { durationOf } from "./follow.ts";
import { pauseText } from "./pauses.ts";
import { Refusal } from "./refusal.ts";
import { oneLine, printable } from "./terminal-text.ts";

/** Returns the status for people. A run that is paused or waits is shown as such, although its status is `running`. */
export function statusText(
  { status, waitingFor }: Pick<State, "status" | "waitingFor">,
  paused: Run["paused"],
): string {
  if (paused !== null && !isTerminal(status)) return `${status}, ${pauseText(paused)}`;
  return waitingFor === null || isTerminal(status) ? status : `${status}, ${WAITING_TEXTS[waitingFor]}`;
}

export function nameOf({ workflow, version }: Run): string {
  return `${oneLine(workflow)}${version === null ? "" : `@${version}`}`;
}

export function durationText(run: Run, now: number): string {
  const settled = durationOf(run.startedAt, run.completedAt);
  if (settled !== null) return formatDuration(settled);
  const started = run.startedAt === null || run.startedAt === undefined ? NaN : Date.parse(run.startedAt);
  return isTerminal(run.status) || Number.isNaN(started) ? "–" : formatDuration(Math.max(0, now - started));
}

/** Reads a label such as `customer=4711`, or `customer:4711` as in the address of a list. */
export function readLabel(text: string): readonly [string, string] {
  const at = text.search(/[=:]/u);
  if (at < 1 || at === text.length - 1) throw new Refusal(`--label ${printable(text)}: write it as name=text`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Returns the labels of a run. Null when it has none. */
export function labelsText({ labels }: Pick<Run, "labels">): string | null {
  const pairs = Object.entries(labels ?? {}).map(([name, text]) => `${name}=${text}`);
  return pairs.length === 0 ? null : oneLine(pairs.join(" "));
}

export function errorText({ code, message }: NonNullable<Run["error"]>): string {
  return oneLine([code, message].filter((part) => part !== null && part !== "").join(": "));
}
