type Fetch = typeof globalThis.fetch;

/** Records how far a call got. This decides whether a call without an answer is charged. */
export interface Wire {
  readonly fetch: Fetch;
  readonly isSent: boolean;
  /** True when the provider accepted the request and began to answer. */
  readonly isAccepted: boolean;
  reset(): void;
}

export function createWire(fetch: Fetch): Wire {
  let isSent = false;
  let isAccepted = false;
  return {
    get isSent() {
      return isSent;
    },
    get isAccepted() {
      return isAccepted;
    },
    reset() {
      isSent = false;
      isAccepted = false;
    },
    async fetch(input, init) {
      isSent = true;
      const response = await fetch(input, init);
      isAccepted = response.ok;
      return response;
    },
  };
}
