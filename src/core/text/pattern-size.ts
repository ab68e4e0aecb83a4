/** One piece of a pattern: an escape, a class, the beginning or end of a group, a repetition, or a character. */
const PIECE =
  /\\Q[^]*?(?:\\E|$)|\\[pPx]\{[^}]*\}|\\[^]|\[\^?\]?(?:\\[^]|\[:\^?\w+:\]|[^\]\\])*\]|\(\?(?:P?<\w+>|[\w-]*:?)|\{(\d+)(,?)(\d*)\}|[^]/gu;

/** States per piece: that of a character, and that of a choice or a mark of a group beside it. */
const STATES_PER_PIECE = 2;
const OWN_STATES = 3;

interface Group {
  /** States of the group so far. */
  states: number;
  /** States of its last part, which a repetition repeats. */
  last: number;
}

/**
 * Returns an upper bound of the states of a compiled pattern. A counted repetition is as large as what it repeats times the
 * count, also within another. Of a pattern that cannot be compiled it returns any number.
 */
export function boundStates(pattern: string): number {
  let group: Group = { states: 0, last: 0 };
  const outer: Group[] = [];
  const add = (states: number): void => {
    group.states += states;
    group.last = states;
  };
  for (const [piece, least, comma, most] of pattern.matchAll(PIECE)) {
    if (least !== undefined) {
      const count = Math.max(1, Number(least), Number(most ?? 0)) + (comma === "," ? 1 : 0);
      const repeated = group.last * count + STATES_PER_PIECE * count;
      group.states += repeated - group.last;
      group.last = repeated;
    } else if (piece.startsWith("(")) {
      outer.push(group);
      group = { states: STATES_PER_PIECE, last: 0 };
    } else if (piece === ")") {
      const { states } = group;
      group = outer.pop() ?? { states: 0, last: 0 };
      add(states + STATES_PER_PIECE);
    } else if (piece === "?" || piece === "*" || piece === "+") {
      group.states += STATES_PER_PIECE;
      group.last += STATES_PER_PIECE;
    } else add(piece.startsWith("\\Q") ? STATES_PER_PIECE * piece.length : STATES_PER_PIECE);
  }
  return outer.reduce((sum, { states }) => sum + states, group.states) + OWN_STATES;
}
