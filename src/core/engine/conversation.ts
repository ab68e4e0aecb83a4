import { jsonToText } from "../base/index.ts";
import type { Shown } from "../event/index.ts";
import { hideCredentials } from "../redaction/index.ts";
import type { AgentTurn, ToolCall } from "./agent-turn.ts";

/** Number of rounds before a call that are shown to the person who decides about it. */
const ROUNDS_MAX = 10;
const TEXT_LENGTH_MAX = 2_000;

/** Returns the agent's texts and calls before a round, oldest first, one part per round. */
export function conversationBefore({ rounds, calls }: AgentTurn, round: number): readonly Shown[] {
  const first = Math.max(0, round - ROUNDS_MAX);
  const parts = rounds
    .slice(first, round)
    .map(({ text }, index) => ({ lines: text === "" ? [] : [short(text)], round: first + index }));
  for (const call of calls.values()) parts[call.round - first]?.lines.push(lineOf(call));
  return parts.map(({ round: number, lines }) => ({ label: `Round ${number}`, kind: "text", value: lines.join("\n") }));
}

function lineOf({ tool, server, args, ruling, result }: ToolCall): string {
  const call = `${server === null ? "" : `${server}/`}${tool} ${short(JSON.stringify(args))}`;
  if (ruling.kind === "deny") return `${call}: denied, ${short(ruling.reason)}`;
  if (result === null) return call;
  return `${call} → ${result.isError ? "error: " : ""}${short(jsonToText(result.value))}`;
}

function short(text: string): string {
  const shown = hideCredentials(text.slice(0, TEXT_LENGTH_MAX * 2));
  return shown.length > TEXT_LENGTH_MAX
    ? `${shown.slice(0, TEXT_LENGTH_MAX).replace(/[\uD800-\uDBFF]$/u, "")}…`
    : shown;
}
