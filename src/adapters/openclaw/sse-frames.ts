/** Maximum length of one line. The whole stream is limited where it is fetched. */
const FRAME_LENGTH_MAX = 16 * 1_048_576;

/** Yields the data of each server-sent event in order. Ignores all other lines. */
export async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > FRAME_LENGTH_MAX) throw new Error("a line of the stream is too long");
    for (const written of lines) {
      const line = written.endsWith("\r") ? written.slice(0, -1) : written;
      if (line === "") {
        if (data.length > 0) yield data.join("\n");
        data = [];
      } else if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
    }
  }
  // A frame without its final blank line was cut off and is dropped.
}
