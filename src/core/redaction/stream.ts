import type { Automaton } from "./automaton.ts";
import { isBase64Unit } from "./shape.ts";

export interface RedactionStream {
  /** What can be let out by now; what may be the beginning of a secret is held back. */
  push(piece: string): string;
  /** The rest. The stream may be used again for another text. */
  flush(): string;
}

/** What is to be replaced, in units from the beginning of the stream. Secrets that overlap make one stretch. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly owner: number;
}

export function createStream(automaton: Automaton, marks: readonly string[]): RedactionStream {
  let state = 0;
  let position = 0;
  /** What is not let out yet, and where it begins. */
  let held = "";
  let heldFrom = 0;
  let stretches: Stretch[] = [];

  /** The character before this place, when it can hold bits of an encoding that starts here. */
  const leadBefore = (place: number): number => (isBase64Unit(held.charCodeAt(place - 1 - heldFrom)) ? 1 : 0);
  const take = (until: number): string => {
    const taken = held.slice(0, Math.max(0, until - heldFrom));
    held = held.slice(taken.length);
    heldFrom += taken.length;
    return taken;
  };
  /** Lets out everything before `safe`, where nothing can begin any more. */
  const release = (safe: number): string => {
    let out = "";
    let settled = 0;
    for (const stretch of stretches) {
      if (stretch.start >= safe) break;
      out += take(stretch.start);
      take(Math.min(stretch.end, safe));
      // Not over yet: a secret that begins inside may still make it longer.
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

/** The match that begins first gives the stretch its name, of those the longest. The new one ends last. */
function addStretch(stretches: Stretch[], found: Stretch): void {
  let last = stretches.at(-1);
  while (last !== undefined && last.start >= found.start) {
    stretches.pop();
    last = stretches.at(-1);
  }
  if (last === undefined || last.end <= found.start) stretches.push(found);
  else stretches[stretches.length - 1] = { ...last, end: found.end };
}
