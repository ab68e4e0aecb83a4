import type { FileReference } from "../../client/index.ts";
import { api } from "./api.ts";

/** Sends a file that a person has chosen, part by part. */
export function sendFile(file: File, onProgress: (sentBytes: number) => void): Promise<FileReference> {
  return api.files.upload(
    {
      name: file.name,
      size: file.size,
      ...(file.type === "" ? {} : { mime: file.type }),
      read: async (from, to) => new Uint8Array(await file.slice(from, to).arrayBuffer()),
    },
    { onProgress },
  );
}
