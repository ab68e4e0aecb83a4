import { closeSync, openSync, writeSync } from "node:fs";

/** Results and ids of other people's work: not readable by others on a shared machine. */
const FILE_MODE = 0o600;

/** Writes at the end of a file. When it returns, the bytes have left this process; when it throws, some may have. */
export type Append = (path: string, bytes: Uint8Array) => void;

export const appendBytes: Append = (path, bytes) => {
  const file = openSync(path, "a", FILE_MODE);
  try {
    for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
  } finally {
    closeSync(file);
  }
};
