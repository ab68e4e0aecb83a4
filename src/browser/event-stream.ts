/** Maximum length of a line. No model sends longer ones. */
const LINE_LENGTH_MAX = 8_388_608;

/** Yields the `data` of each server-sent event, independent of how the network splits the stream. */
export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      if (rest.length > LINE_LENGTH_MAX) throw new RangeError("a message of the answer is too long");
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "" && data.length > 0) {
          yield data.join("\n");
          data = [];
        } else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      }
      if (done) return;
    }
  } finally {
    // Closes the stream when the reader stops early. Has no effect on a finished stream.
    await reader.cancel().catch(() => undefined);
  }
}
