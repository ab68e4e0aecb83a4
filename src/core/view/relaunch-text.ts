const NAMES_SHOWN = 12;

/** What a restarted or branched run keeps of the other one and what it does again, in one line. */
export function relaunchText(split: {
  readonly carriedOver: readonly string[];
  readonly runsAgain: readonly string[];
}): string {
  const { carriedOver, runsAgain } = split;
  if (runsAgain.length === 0) return "every node is carried over, nothing runs again";
  if (carriedOver.length === 0) return "nothing is carried over, every node runs again";
  return `carried over: ${names(carriedOver)}; runs again: ${names(runsAgain)}`;
}

function names(ids: readonly string[]): string {
  const rest = ids.length - NAMES_SHOWN;
  // One name more takes no more room than saying that there is one more.
  return rest <= 1 ? ids.join(", ") : `${ids.slice(0, NAMES_SHOWN).join(", ")} and ${rest} more`;
}
