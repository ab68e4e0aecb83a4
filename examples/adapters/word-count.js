// Counts words, so it needs no model and no key. Try it: sluice adapter test examples/adapters/word-count.js

/**
 * @import { Adapter, AdapterRequest } from "sluice/adapter"
 */

const WORDS_PER_PIECE = 1000;

/** @type {Adapter} */
export const adapter = {
  specificationVersion: "v1",
  provider: "word-count",

  async initialize(config) {
    const [unknown] = Object.keys(config);
    if (unknown !== undefined) throw new Error(`The adapter "word-count" has no setting "${unknown}".`);
  },
  async shutdown() {},
  async cancel() {},
  async checkHealth() {
    return { status: "healthy" };
  },
  capabilities() {
    return { streaming: true, structuredOutput: true, tools: false, deferred: false };
  },

  async execute(request, { signal, onPartial, onLog }) {
    const words = (request.stdin ?? request.message).split(/\s+/).filter((word) => word !== "");
    let counted = 0;
    while (counted < words.length) {
      // Between pieces others get their turn, and an abort is noticed.
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) return { status: "failed", failure: "cancelled", message: "The count was cancelled." };
      counted = Math.min(counted + WORDS_PER_PIECE, words.length);
      onPartial({ text: `${counted} words\n` });
    }
    if (signal.aborted) return { status: "failed", failure: "cancelled", message: "The count was cancelled." };
    onLog({ level: "info", message: `Counted ${counted} words.` });
    const longest = words.reduce((found, word) => (word.length > found.length ? word : found), "").slice(0, 100);
    return { status: "completed", stdout: `${counted} words`, outputs: { count: counted, longest }, costUsd: 0 };
  },
};

/**
 * What the suite asks; the longest word comes back, so that mixed-up answers would show.
 * @type {(word: string) => Partial<AdapterRequest>}
 */
export const sample = (word) => ({ message: `Count these ${word}` });
