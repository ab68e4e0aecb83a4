import type { FileProblem, FileProblemCode } from "../core/base/index.ts";

export type FileRefusalCode =
  | FileProblemCode
  | "unknown_file"
  | "unknown_upload"
  | "upload_completed"
  | "upload_incomplete"
  | "unknown_part"
  | "part_size_mismatch"
  | "size_mismatch"
  | "hash_mismatch"
  | "file_store_unavailable";

/** The reason why a file is refused, with its code. */
export class FileRefusal extends Error {
  override readonly name = "FileRefusal";
  readonly code: FileRefusalCode;

  constructor(code: FileRefusalCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export function refusalOf({ code, field, message }: FileProblem): FileRefusal {
  return new FileRefusal(code, `The ${field} of the file ${message}.`);
}
