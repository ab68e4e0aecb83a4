import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";

/**
 * File format of an empty database, compressed, for packages. The first line is JSON with the directories, and the
 * files with their sizes. The contents of the files follow in that order.
 */
interface Contents {
  readonly directories: readonly string[];
  readonly files: readonly (readonly [path: string, size: number])[];
}

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);
const NEWLINE = 10;
/** Most of a database consists of repeated pages, which a large compression window finds. */
const WINDOW_BITS = 24;

export async function writeSeedArchive(directory: string, archive: string): Promise<void> {
  const entries = (await readdir(directory, { recursive: true, withFileTypes: true })).map((entry) => ({
    entry,
    path: relative(directory, join(entry.parentPath, entry.name)).split(sep).join("/"),
  }));
  // Sorted by name, so that the same database always gives the same file.
  entries.sort((left, right) => (left.path < right.path ? -1 : 1));
  const contents = entries
    .filter(({ entry }) => entry.isFile())
    .map(({ path }) => ({ path, bytes: readFileSync(join(directory, path)) }));
  const head: Contents = {
    directories: entries.filter(({ entry }) => entry.isDirectory()).map(({ path }) => path),
    files: contents.map(({ path, bytes }) => [path, bytes.byteLength]),
  };
  const whole = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...contents.map(({ bytes }) => bytes)]);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 9,
    [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: whole.byteLength,
  };
  await writeFile(archive, await compress(whole, { params }));
}

/** Unpacks an archive into `directory`, which is created when missing. */
export async function readSeedArchive(archive: string, directory: string): Promise<void> {
  const whole = await decompress(await readFile(archive));
  const end = whole.indexOf(NEWLINE);
  const { directories, files } = JSON.parse(whole.toString("utf8", 0, end)) as Contents;
  // The same mode as Postgres uses: no other user may read the data that will be kept there.
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const path of directories) await mkdir(join(directory, path), { recursive: true });
  let offset = end + 1;
  await Promise.all(
    files.map(([path, size]) => {
      const bytes = whole.subarray(offset, offset + size);
      offset += size;
      return writeFile(join(directory, path), bytes);
    }),
  );
}
