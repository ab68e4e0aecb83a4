import type { FileValue } from "../core/base/index.ts";

/**
 * The files of one attempt. What goes wrong is an error with a `code`: `unknown_file` when the run does not refer to the
 * file, `file_store_unavailable` when its content cannot be had now, or what is wrong with a file that is written.
 */
export interface AdapterFiles {
  /** The content of a file among the inputs, as it comes. */
  read(file: FileValue): AsyncIterable<Uint8Array>;
  /** Keeps a file, so that an output can refer to it by what this resolves with. */
  write(file: Pick<FileValue, "name" | "mime" | "size">, content: AsyncIterable<Uint8Array>): Promise<FileValue>;
}
