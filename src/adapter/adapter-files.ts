import type { FileValue } from "../core/base/index.ts";

/**
 * The files of one attempt. A method that fails throws an error with a `code`: `unknown_file` when the run does not
 * refer to the file, `file_store_unavailable` when the content cannot be read now, or the code of the problem with a
 * written file.
 */
export interface AdapterFiles {
  /** Streams the content of a file that is among the inputs. */
  read(file: FileValue): AsyncIterable<Uint8Array>;
  /** Stores a file. An output can refer to it with the value that the promise resolves to. */
  write(file: Pick<FileValue, "name" | "mime" | "size">, content: AsyncIterable<Uint8Array>): Promise<FileValue>;
}
