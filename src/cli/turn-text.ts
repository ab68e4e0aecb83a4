import type { TurnView } from "../client/index.ts";
import { formatCost } from "./figures.ts";
import type { Io } from "./io.ts";
import { createPaint, oneLine, type Paint } from "./terminal-text.ts";
import { shortValue, shortWords } from "./turn-lines.ts";

type Call = TurnView["rounds"][number]["calls"][number];

/** Prints the rounds of a turn, one line each, with their calls below. Prints nothing when there are no rounds. */
export function printTurn(io: Io, { rounds }: Pick<TurnView, "rounds">): void {
  const paint = createPaint(io.err, io.env);
  for (const { round, costMicros, text, calls, isCarried, by } of rounds) {
    const changed = by === null ? "" : `, changed by ${oneLine(by)}`;
    const cost = isCarried ? ` carried over${changed}` : costMicros > 0 ? ` ${formatCost(costMicros)}` : "";
    io.err.write(`round ${round}${cost}${text.trim() === "" ? "" : `: ${shortWords(text)}`}\n`);
    for (const call of calls) io.err.write(`  ${callLine(call, paint)}\n`);
  }
}

function callLine(call: Call, paint: Paint): string {
  const { tool, server, args, askedArgs, result } = call;
  const name = server === null ? tool : `${server}/${tool}`;
  const changed = askedArgs === null ? "" : ` (asked for ${shortValue(askedArgs)})`;
  const given = result === null ? "" : ` → ${result.isError ? "error " : ""}${shortValue(result.value)}`;
  return `${oneLine(name)} ${shortValue(args)} ${verdictText(call, paint)}${changed}${given}`;
}

function verdictText({ verdict, approvalId, isUnknown }: Call, paint: Paint): string {
  switch (verdict?.disposition) {
    case undefined:
      return paint("gray", "not judged");
    case "allow":
      return paint("green", "allowed");
    case "deny":
      return `${paint("red", "denied")}: ${oneLine(verdict?.reason ?? verdict?.code ?? "")}`;
    case "hold":
      return paint("yellow", `${isUnknown ? "outcome unknown" : "held"} (${approvalId ?? ""})`);
  }
}
