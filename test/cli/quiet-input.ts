import type { Interruption, Io } from "../../src/cli/io.ts";

/** Nothing is typed; what interrupts is called through the listeners. */
export function quietInput(
  listeners: Set<(why: Interruption) => void>,
): Pick<Io, "isInputTty" | "readInput" | "readLine" | "onInterrupt"> {
  return {
    isInputTty: false,
    readInput: () => Promise.resolve(new Uint8Array()),
    readLine: () => Promise.resolve(null),
    onInterrupt(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
