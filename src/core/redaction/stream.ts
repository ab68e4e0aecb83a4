import type { Automaton } from "./automaton.ts";
import { isBase64Unit } from "./shape.ts";

export interface RedactionStream {
  /** Returns the text that is safe to output so far. Text that may be the beginning of a secret is held back. */
  push(piece: string): string;
  /** Returns the rest. The stream may then be used for another text. */
  flush(): string;
}

/** A range to replace, in units from the beginning of the stream. Overlapping secrets form one stretch. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly owner: number;
}

export function createStream(automaton: Automaton, marks: readonly string[]): RedactionStream {
  let state = 0;
  let position = 0;
  /** The text held back, and its position. */
  let held = "";
  let heldFrom = 0;
  let stretches: Stretch[] = [];

  /** Returns 1 when the preceding character can hold bits of an encoding that starts here, else 0. */
  const leadBefore = (place: number): number => (isBase64Unit(held.charCodeAt(place - 1 - heldFrom)) ? 1 : 0);
  const take = (until: number): string => {
    const taken = held.slice(0, Math.max(0, until - heldFrom));
    held = held.slice(taken.length);
    heldFrom += taken.length;
    return taken;
  };
  /** Outputs everything before `safe`: no match can begin there any more. */
  const release = (safe: number): string => {
    let out = "";
    let settled = 0;
    for (const stretch of stretches) {
      if (stretch.start >= safe) break;
      out += take(stretch.start);
      take(Math.min(stretch.end, safe));
      // The stretch is not complete: a secret that begins inside it may still extend it.
      if (stretch.end > safe) {
        stretches = stretches.slice(settled);
        return out;
      }
      out += marks[stretch.owner] ?? "";
      settled += 1;
    }
    stretches = stretches.slice(settled);
    return out + take(safe);
  };

  return {
    push: (piece) => {
      held += piece;
      for (let index = 0; index < piece.length; index += 1) {
        state = automaton.step(state, piece.charCodeAt(index));
        position += 1;
        const length = automaton.lengthOf(state);
        if (length === 0) continue;
        const start = position - length - (automaton.hasLead(state) ? leadBefore(position - length) : 0);
        addStretch(stretches, { start, end: position, owner: automaton.ownerOf(state) });
      }
      const safe = position - automaton.depthOf(state);
      return release(safe - leadBefore(safe));
    },
    flush: () => {
      const out = release(position);
      state = 0;
      return out;
    },
  };
}

/** The earliest match names the stretch, and among equals the longest. A new match always ends last. */
function addStretch(stretches: Stretch[], found: Stretch): void {
  let last = stretches.at(-1);
  while (last !== undefined && last.start >= found.start) {
    stretches.pop();
    last = stretches.at(-1);
  }
  if (last === undefined || last.end <= found.start) stretches.push(found);
  else stretches[stretches.length - 1] = { ...last, end: found.end };
}
