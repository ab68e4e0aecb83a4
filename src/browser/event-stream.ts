/** A line longer than this is no message of any model. */
const LINE_LENGTH_MAX = 8_388_608;

/** The `data` of each message of a server-sent stream, wherever the network cut it. */
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
    // A reader that stops closes the stream; on a finished stream that does nothing.
    await reader.cancel().catch(() => undefined);
  }
}
