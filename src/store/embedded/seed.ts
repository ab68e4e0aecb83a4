import type { PGlite as PGliteEngine } from "@electric-sql/pglite";
import { constants, existsSync, readFileSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { createSqlStore, schemaDigest } from "../index.ts";
import { readSeedArchive, writeSeedArchive } from "./seed-archive.ts";
import { WalSync } from "./wal-sync.ts";

/** Returns the directory of the empty database that new data directories are copied from. There is one for each engine and schema. */
function defaultSeedDirectory(): string {
  return join(homedir(), ".cache", "sluice", seedName());
}

/** Returns the name of the seed for this version of the engine and the schema. */
function seedName(): string {
  return `seed-${engineVersion()}-${schemaDigest().slice(0, 12)}`;
}

/** Directory of the compressed seed in a package. With it, a first start sets up nothing and needs no cache. */
const PACKED_DIRECTORY = fileURLToPath(new URL("../../../dist/seed", import.meta.url));

function packedSeed(): string {
  return join(PACKED_DIRECTORY, `${seedName()}.br`);
}

/** Writes the seed into the package, as a file beside the program. Removes files that an earlier schema left there. */
export async function packSeed(): Promise<string> {
  await prepareSeed();
  await rm(PACKED_DIRECTORY, { recursive: true, force: true });
  await mkdir(PACKED_DIRECTORY, { recursive: true });
  await writeSeedArchive(defaultSeedDirectory(), packedSeed());
  return packedSeed();
}

function engineVersion(): string {
  const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite");
  const text = readFileSync(join(dirname(entry), "..", "package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/**
 * Makes the seed when it does not exist. Setting up an empty database takes seconds and most of a gigabyte; copying one
 * takes neither. The seed appears under its name only when complete, even if other processes make it at the same time.
 */
async function prepareSeed(seedDirectory = defaultSeedDirectory()): Promise<void> {
  if (existsSync(seedDirectory)) return;
  await mkdir(dirname(seedDirectory), { recursive: true });
  const made = await mkdtemp(`${seedDirectory}.`);
  try {
    await makeEmpty(join(made, "data"));
    await rename(join(made, "data"), seedDirectory).catch((error: unknown) => {
      if (!existsSync(seedDirectory)) throw error;
    });
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  await clearUnused(seedDirectory);
}

const UNUSED_MS = 7 * 86_400_000;

/** Removes seeds that were not used for a week. Every version with another schema leaves one behind, and it can be made again. */
async function clearUnused(seedDirectory: string): Promise<void> {
  const home = dirname(seedDirectory);
  const { mtimeMs: now } = await stat(seedDirectory);
  for (const name of await readdir(home)) {
    if (!name.startsWith("seed-") || name === basename(seedDirectory)) continue;
    const { mtimeMs } = await stat(join(home, name)).catch(() => ({ mtimeMs: now }));
    if (now - mtimeMs > UNUSED_MS) await rm(join(home, name), { recursive: true, force: true });
  }
}

/** Makes an empty database with the schema already migrated, so that a start on a copy has nothing to do. */
async function makeEmpty(directory: string): Promise<void> {
  const [{ PGlite }, { databaseSql }, { Engine }] = await Promise.all([
    import("@electric-sql/pglite"),
    import("./database-sql.ts"),
    import("./engine.ts"),
  ]);
  const open = (): Promise<PGliteEngine> => PGlite.create(directory);
  const sql = databaseSql(new Engine(await open(), open), new WalSync(directory), async () => undefined);
  try {
    await createSqlStore(sql).migrate();
  } finally {
    await sql.close();
  }
}

/**
 * Puts a new database at `target`, which appears only when complete. The caller holds the lock on the directory above
 * it. Default source: the seed of the package, else the one in the user's cache, which is made first if necessary.
 */
export async function createFromSeed(target: string, seedDirectory: string | undefined): Promise<void> {
  if (existsSync(target)) return;
  const copy = `${target}.new`;
  await rm(copy, { recursive: true, force: true });
  if (seedDirectory === undefined && existsSync(packedSeed())) await readSeedArchive(packedSeed(), copy);
  else await copySeed(seedDirectory ?? defaultSeedDirectory(), copy);
  await rename(copy, target);
}

async function copySeed(seedDirectory: string, copy: string): Promise<void> {
  await prepareSeed(seedDirectory);
  const now = new Date();
  // This only marks the seed as in use. A cache that cannot be written still works.
  await utimes(seedDirectory, now, now).catch(() => undefined);
  await copyTree(seedDirectory, copy);
}

/** Copies all files at once. One after the other, a thousand small files take longer than the rest of a start. */
async function copyTree(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const places = entries.map((entry) => ({ entry, path: relative(from, join(entry.parentPath, entry.name)) }));
  await mkdir(to, { recursive: true });
  for (const { entry, path } of places) if (entry.isDirectory()) await mkdir(join(to, path), { recursive: true });
  await Promise.all(
    places
      .filter(({ entry }) => entry.isFile())
      .map(({ path }) => copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE)),
  );
}
