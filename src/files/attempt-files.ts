import type { FileValue } from "../core/base/index.ts";
import type { FileRecord, FileStore } from "../store/index.ts";
import { FileRefusal } from "./file-refusal.ts";
import type { Files } from "./files.ts";
import { type Patience, patientFileStore } from "./patient-store.ts";

/** File access for an attempt that runs in this process. */
export interface RunFiles {
  read(file: FileValue): AsyncIterable<Uint8Array>;
  write(file: Pick<FileValue, "name" | "mime" | "size">, content: AsyncIterable<Uint8Array>): Promise<FileValue>;
}

export interface RunFilesOptions {
  readonly files: Files;
  readonly store: FileStore;
  readonly orgId: string;
  readonly runId: string;
  /** While the database is unavailable, the attempt waits, like the engine. */
  readonly patience: Patience;
}

/** Allows reading only files that the run refers to. Knowing a hash is not enough. */
export function runFiles({ files, store, orgId, runId, patience }: RunFilesOptions): RunFiles {
  const patient = patientFileStore(store, patience);
  const own = files.withStore(patient);
  return {
    async *read(file) {
      yield* own.read(await findRunFile(patient, orgId, runId, file.sha256));
    },
    write: (file, content) => own.put(orgId, runId, file, content),
  };
}

export async function findRunFile(
  store: Pick<FileStore, "getFile" | "listRunFiles">,
  orgId: string,
  runId: string,
  sha256: string,
): Promise<FileRecord> {
  const known = await store.listRunFiles(orgId, runId);
  const file = known.some((one) => one.sha256 === sha256) ? await store.getFile(orgId, sha256) : undefined;
  if (file === undefined) throw new FileRefusal("unknown_file", `The run refers to no file ${sha256}.`);
  return file;
}
