/**
 * Streams texts as the body of a response, produced as fast as they are read, and only while the client stays. An
 * error after the response has begun can only cut it, so it is reported to `onTrouble`.
 */
export function textStream(
  texts: AsyncGenerator<string, void>,
  signal: AbortSignal,
  onTrouble: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const stop = (): void => void texts.return();
  // A client may disconnect before its response begins, and then the body is not cancelled.
  signal.addEventListener("abort", stop, { once: true });
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const next = await texts.next().catch((error: unknown) => {
        onTrouble(error);
        throw error;
      });
      if (next.done === true) {
        signal.removeEventListener("abort", stop);
        controller.close();
      } else controller.enqueue(encoder.encode(next.value));
    },
    cancel: stop,
  });
}
