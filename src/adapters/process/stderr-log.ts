import { StringDecoder } from "node:string_decoder";
import type { AdapterHooks } from "../../adapter/index.ts";

const TAIL_BYTES_MAX = 2_048;
const LINES_MAX = 1_000;
const LINE_LENGTH_MAX = 2_000;

export interface StderrLog {
  add(chunk: Buffer): void;
  /** Logs the last line and returns the last part of stderr. */
  finish(): string;
}

/** Logs stderr line by line, with a limit on number and length. Keeps its last part for the message of a failure. */
export function createStderrLog(onLog: AdapterHooks["onLog"]): StderrLog {
  const decoder = new StringDecoder("utf8");
  let tail: Buffer = Buffer.alloc(0);
  let line = "";
  let lines = 0;

  const log = (text: string): void => {
    if (text === "" || lines > LINES_MAX) return;
    const isLast = lines === LINES_MAX;
    lines += 1;
    onLog({ level: "info", message: isLast ? "More lines of stderr are left out." : text });
  };
  const take = (text: string): void => {
    const [first = "", ...rest] = text.split("\n");
    line = (line + first).slice(0, LINE_LENGTH_MAX);
    for (const next of rest) {
      log(line.replace(/\r$/, ""));
      line = next.slice(0, LINE_LENGTH_MAX);
    }
  };

  return {
    add(chunk) {
      tail = Buffer.concat([tail, chunk]).subarray(-TAIL_BYTES_MAX);
      take(decoder.write(chunk));
    },
    finish() {
      take(decoder.end());
      log(line.replace(/\r$/, ""));
      line = "";
      return wholeCharacters(tail).toString("utf8");
    },
  };
}

/** Removes the rest of a character that the cut has split. */
function wholeCharacters(bytes: Buffer): Buffer {
  if (bytes.length < TAIL_BYTES_MAX) return bytes;
  const start = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return bytes.subarray(Math.max(0, start));
}
