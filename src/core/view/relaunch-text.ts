const NAMES_SHOWN = 12;

/** Describes in one line which nodes a restarted or branched run carries over and which it runs again. */
export function relaunchText(split: {
  readonly carriedOver: readonly string[];
  readonly runsAgain: readonly string[];
  /** Set for a run that was branched inside a turn. */
  readonly continues?: { readonly nodeId: string; readonly rounds: number };
}): string {
  const { carriedOver, continues } = split;
  if (continues !== undefined) return continuedText(carriedOver, split.runsAgain, continues);
  const { runsAgain } = split;
  if (runsAgain.length === 0) return "every node is carried over, nothing runs again";
  if (carriedOver.length === 0) return "nothing is carried over, every node runs again";
  return `carried over: ${names(carriedOver)}; runs again: ${names(runsAgain)}`;
}

function continuedText(
  carriedOver: readonly string[],
  runsAgain: readonly string[],
  { nodeId, rounds }: { readonly nodeId: string; readonly rounds: number },
): string {
  const others = runsAgain.filter((id) => id !== nodeId.replace(/\[\d+\]$/u, ""));
  return [
    carriedOver.length === 0 ? "no other node is carried over" : `carried over: ${names(carriedOver)}`,
    `${nodeId} continues after round ${rounds - 1}`,
    ...(others.length === 0 ? [] : [`runs again: ${names(others)}`]),
  ].join("; ");
}

function names(ids: readonly string[]): string {
  const rest = ids.length - NAMES_SHOWN;
  // Listing one more name takes no more space than "and 1 more".
  return rest <= 1 ? ids.join(", ") : `${ids.slice(0, NAMES_SHOWN).join(", ")} and ${rest} more`;
}
