import { type FileStore, StoreUnavailable } from "../store/index.ts";

export interface Patience {
  /** Stops further retries once aborted. */
  readonly signal: AbortSignal;
  readonly pause: (ms: number) => Promise<void>;
}

const PAUSES_MS = [50, 100, 250, 500, 1_000, 2_000] as const;

/**
 * A file store that retries operations the database could not do. A first try may have succeeded although its answer
 * was lost, so every retried operation is safe to repeat.
 */
export function patientFileStore(store: FileStore, patience: Patience): FileStore {
  const again = <A extends readonly unknown[], T>(work: (...args: A) => Promise<T>) => {
    return (...args: A): Promise<T> => untilAvailable(() => work(...args), patience);
  };
  return {
    ...store,
    openUpload: again((upload) => store.openUpload(upload)),
    getUpload: again((orgId, uploadId) => store.getUpload(orgId, uploadId)),
    putPart: again((orgId, uploadId, part) => store.putPart(orgId, uploadId, part)),
    completeUpload: again((orgId, uploadId, done) => store.completeUpload(orgId, uploadId, done)),
    dropUpload: again((orgId, uploadId) => store.dropUpload(orgId, uploadId)),
    getFile: again((orgId, sha256) => store.getFile(orgId, sha256)),
    claimFiles: again((orgId, hashes) => store.claimFiles(orgId, hashes)),
    listRunFiles: again((orgId, runId) => store.listRunFiles(orgId, runId)),
  };
}

async function untilAvailable<T>(work: () => Promise<T>, { signal, pause }: Patience): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || signal.aborted) throw error;
      await pause(PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)] ?? 0);
    }
  }
}
