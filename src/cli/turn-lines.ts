import { type EventOf, type RunEvent } from "../core/event/index.ts";
import { formatCost } from "./figures.ts";
import { clip, oneLine, type Paint } from "./terminal-text.ts";

const WORDS_COLUMNS = 80;
const VALUE_COLUMNS = 60;

/** Returns a text as one short line. */
export function shortWords(text: string): string {
  return clip(oneLine(text.trim()), WORDS_COLUMNS);
}

/** Returns a value as one short line. */
export function shortValue(value: unknown): string {
  return clip(oneLine(JSON.stringify(value ?? null)), VALUE_COLUMNS);
}

/** Lines for the turns of the agents of a run, one per round and per tool call. */
export class TurnLines {
  readonly #calls = new Map<string, EventOf<"tool.requested">["payload"]>();
  readonly #rounds = new Map<string, number>();
  readonly #last = new Map<string, string>();

  /** Records an event for later lines, and returns the line of the event. Null when it has no line. */
  lineOf(event: RunEvent, paint: Paint): string | null {
    switch (event.type) {
      case "round.completed":
        return this.#round(event);
      case "tool.requested":
        this.#calls.set(event.payload.callId, event.payload);
        this.#last.set(event.payload.nodeId, event.payload.tool);
        return null;
      case "tool.decided":
        return this.#decided(event, paint);
      case "tool.completed": {
        const { callId, result, isError, by } = event.payload;
        const who = by === undefined ? "" : ` (given by ${oneLine(by)})`;
        const what = isError ? paint("red", "failed") : "returned";
        return `    ${this.#nameOf(callId)} ${what} ${shortValue(result)}${who}`;
      }
      default:
        return null;
    }
  }

  /** Returns the progress of the turn of a node. Empty when the node has no turn. */
  summaryOf(nodeId: string): string {
    const round = this.#rounds.get(nodeId);
    if (round === undefined) return "";
    const tool = this.#last.get(nodeId);
    return ` round ${round}${tool === undefined ? "" : `, ${oneLine(tool)}`}`;
  }

  #round({ payload }: EventOf<"round.completed">): string {
    const { nodeId, round, text, costMicros, carried } = payload;
    this.#rounds.set(nodeId, round);
    this.#last.delete(nodeId);
    const words = text.trim() === "" ? "" : `: ${shortWords(text)}`;
    const cost = carried === true ? " carried over" : costMicros > 0 ? ` ${formatCost(costMicros)}` : "";
    return `  ${oneLine(nodeId)} round ${round}${cost}${words}`;
  }

  #decided({ payload }: EventOf<"tool.decided">, paint: Paint): string {
    const { callId, disposition, reason, code, args, isUnknown, isOther } = payload;
    const asked = this.#calls.get(callId);
    const what = isOther === true ? "requested again with other args" : shortValue(args ?? asked?.args);
    const call = `    ${this.#nameOf(callId)} ${what}`;
    // What follows is about the call as it was approved.
    if (asked !== undefined && args !== undefined) this.#calls.set(callId, { ...asked, args });
    if (disposition === "allow") return `${call} ${paint("green", "allowed")}${args === undefined ? "" : ", changed"}`;
    if (disposition === "deny") return `${call} ${paint("red", "denied")}: ${oneLine(reason ?? code ?? "")}`;
    const why = isUnknown === true ? "may have been made; waits for a person to give its result" : "held for a person";
    return `${call} ${paint("yellow", why)}`;
  }

  #nameOf(callId: string): string {
    const asked = this.#calls.get(callId);
    return oneLine(asked === undefined ? callId : asked.tool);
  }
}
