/**
 * Texts as the body of an answer, made as fast as they are read, and no longer than the client stays. An error after the
 * answer has begun can only cut it, so that it is reported to `onTrouble`.
 */
export function textStream(
  texts: AsyncGenerator<string, void>,
  signal: AbortSignal,
  onTrouble: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const stop = (): void => void texts.return();
  // A client may be gone before its answer is written, and then the body is not cancelled.
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
