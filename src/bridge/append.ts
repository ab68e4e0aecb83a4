import { closeSync, openSync, writeSync } from "node:fs";

/** Only the owner may read these files: they contain results and ids, and the machine may be shared. */
const FILE_MODE = 0o600;

/** Appends bytes to a file. After it returns, all bytes were written. After it throws, some may have been written. */
export type Append = (path: string, bytes: Uint8Array) => void;

export const appendBytes: Append = (path, bytes) => {
  const file = openSync(path, "a", FILE_MODE);
  try {
    for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
  } finally {
    closeSync(file);
  }
};
