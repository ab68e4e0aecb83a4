import { ExportVerifier, type VerifyOptions, type VerifyResult } from "../core/audit/index.ts";
import { verifySignature } from "./signer.ts";

const LINE_FEED = 10;

/** Verifies an export byte for byte while it is read. Holds at most one line and one chunk in memory. */
export async function verifyAudit(
  chunks: AsyncIterable<Uint8Array | string>,
  options: Omit<VerifyOptions, "verifySignature"> = {},
): Promise<VerifyResult> {
  const verifier = new ExportVerifier({ ...options, verifySignature });
  for await (const line of linesOf(chunks)) {
    if (line.text === null) return verifier.end(line.wrong);
    if (!verifier.take(line.text)) break;
  }
  return verifier.end();
}

type TextLine = { readonly text: string } | { readonly text: null; readonly wrong: string };

/** Yields the lines of the file unchanged. Every line must end with a line feed. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<TextLine, void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    rest = rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([rest, bytes]);
    let begin = 0;
    for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED, begin)) {
      yield decoded(rest.subarray(begin, end));
      begin = end + 1;
    }
    rest = rest.subarray(begin);
  }
  if (rest.length > 0) yield { text: null, wrong: "the export is cut: its last line does not end with a line feed" };
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decoded(bytes: Uint8Array): TextLine {
  try {
    return { text: UTF8.decode(bytes) };
  } catch {
    return { text: null, wrong: "it is not UTF-8" };
  }
}
