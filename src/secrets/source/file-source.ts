import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { fail, succeed } from "../../core/base/index.ts";
import type { SecretSource } from "./secret-source.ts";

const BYTES_MAX = 16_384;

/** Reads the files of one folder, where container platforms mount secrets. Links cannot lead outside of it. */
export function createFileSource(directory: string | null): SecretSource<"file"> {
  return {
    kind: "file",
    read: async (path) => {
      if (directory === null)
        return fail("The server has no folder for secrets; its operator sets SLUICE_SECRETS_DIR.");
      try {
        const root = await realpath(directory);
        const file = await realpath(join(root, path));
        if (!file.startsWith(root + sep)) return fail(`The file ${path} leads out of SLUICE_SECRETS_DIR.`);
        const text = await readSmall(file);
        return text === null ? fail(`The file ${path} is no file of at most ${BYTES_MAX} bytes.`) : succeed(text);
      } catch {
        // The reason may contain folder names of the server, which organisations must not see.
        return fail(`The file ${path} in SLUICE_SECRETS_DIR cannot be read.`);
      }
    },
  };
}

async function readSmall(file: string): Promise<string | null> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = await handle.stat();
    if (!stat.isFile() || stat.size > BYTES_MAX) return null;
    return withoutLineEnd(await handle.readFile("utf8"));
  } finally {
    await handle.close();
  }
}

/** Removes the last line end, which editors add and which is not part of a secret. */
function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}
