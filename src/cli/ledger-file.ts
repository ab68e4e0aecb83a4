import { appendFileSync } from "node:fs";
import { resolve } from "node:path";
import { createFileLedger, type Ledger } from "../adapters/index.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";
import { reasonOf } from "./source-file.ts";
import { printable } from "./terminal-text.ts";

/** Checks that the ledger can be written before anything starts, so that a problem is not found only at the first effect. */
export function openLedger(io: Io, name: string): Ledger {
  const file = resolve(io.cwd, name);
  try {
    appendFileSync(file, "");
  } catch (thrown) {
    throw new Refusal(`cannot write the ledger ${printable(name)}: ${reasonOf(thrown)}`);
  }
  return createFileLedger(file);
}
