import { createHash } from "node:crypto";
import type { AdapterFiles, AdapterRequest } from "../../src/adapter/index.ts";
import type { FileValue } from "../../src/core/base/index.ts";
import { createMemoryObjects, Files, runFiles } from "../../src/files/index.ts";
import { createMemoryStore, type Store } from "../../src/store/index.ts";
import { creation } from "../contracts/shares.ts";

export const ORG = "org_1";
export const RUN = "run_1";

/** Files in memory, and those of one run among them. */
export interface Kept {
  readonly store: Store;
  readonly files: Files;
  readonly ofRun: AdapterFiles;
  /** A file that the run refers to. */
  give(name: string, content: string, mime?: string): Promise<FileValue>;
  text(file: FileValue): Promise<string>;
}

export const PATIENCE = { signal: new AbortController().signal, pause: () => Promise.resolve() };

export async function openKept(): Promise<Kept> {
  const store = createMemoryStore();
  const files = new Files({ store, objects: createMemoryObjects(), secretKey: "s", now: Date.now });
  let runs = 0;
  return {
    store,
    files,
    ofRun: runFiles({ files, store, orgId: ORG, runId: RUN, patience: PATIENCE }),
    give: async (name, content, mime = "text/plain") => {
      const bytes = Buffer.from(content);
      const file = await files.put(ORG, "key_1", { name, mime, size: bytes.byteLength }, once(bytes));
      const run = await store.getRun(ORG, RUN);
      const commit = run === undefined ? creation(RUN, {}, { files: [file] }) : null;
      if (commit !== null) await store.commit([commit]);
      else
        await store.commit([
          {
            ...creation(RUN, {}, { files: [file] }),
            create: null,
            expectedVersion: ++runs,
            events: [],
            head: { ...creation(RUN).head },
          },
        ]);
      return file;
    },
    text: async (file) => {
      const record = await store.getFile(ORG, file.sha256);
      if (record === undefined) throw new Error(`${file.name} is not kept`);
      const pieces: Uint8Array[] = [];
      for await (const piece of files.read(record)) pieces.push(piece);
      return Buffer.concat(pieces).toString("utf8");
    },
  };
}

export async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

export const REQUEST: AdapterRequest = {
  dispatchId: "d1",
  runId: RUN,
  stepId: "call",
  attempt: 1,
  idempotencyKey: "key-1",
  provider: "process",
  agentId: "a",
  message: "it",
  inputs: {},
  outputStrategy: "json",
  timeoutMs: null,
  context: { runId: RUN, workflow: "w", phase: null, upstreamDigest: null },
  effects: "at_least_once",
};
