import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AuditTrail } from "../audit/index.ts";
import type { ArchiveRecord, FamilyMember, Store } from "../store/index.ts";
import type { ArchivePlaces } from "./archive-place.ts";
import { verifyPacket } from "./packet-reader.ts";
import { linesOfFamily, type PacketSources, signedPacket } from "./packet-writer.ts";

export interface ArchiverOptions {
  readonly sources: PacketSources;
  readonly store: Pick<Store, "putArchive">;
  readonly audit: Pick<AuditTrail, "sign" | "isSigned" | "catchUp">;
  readonly places: ArchivePlaces;
}

/** Writes families as packets to their archive place, and reads them back. */
export class Archiver {
  readonly #options: ArchiverOptions;

  constructor(options: ArchiverOptions) {
    this.#options = options;
  }

  /** Writes a family. The packet is read back from its place and verified before the archive is recorded. */
  async archive(
    orgId: string,
    { runId, workflow }: { readonly runId: string; readonly workflow: string },
    family: readonly FamilyMember[],
    place: string,
  ): Promise<void> {
    const { sources, audit } = this.#options;
    await audit.catchUp(orgId);
    const runIds = family.map((member) => member.runId);
    const lines = linesOfFamily(sources, orgId, runIds);
    await this.write({ orgId, runId, workflow, place, name: `${runId}.packet.gz`, archivedAt: sources.now() }, lines);
  }

  async write(archive: Omit<ArchiveRecord, "size" | "sha256">, lines: AsyncIterable<object>): Promise<ArchiveRecord> {
    const { places, audit, store } = this.#options;
    const place = places.find(archive.place);
    return spooled(signedPacket(lines, audit), async (file, { size, sha256 }) => {
      await place.put(archive.name, file);
      await this.#verify(place.read(archive.name, size));
      const record = { ...archive, size, sha256 };
      await store.putArchive(record);
      return record;
    });
  }

  read({ place, name, size }: ArchiveRecord): AsyncIterable<Uint8Array> {
    return this.#options.places.find(place).read(name, size);
  }

  async #verify(content: AsyncIterable<Uint8Array>): Promise<void> {
    await verifyPacket(content, (text, key, signature) => this.#options.audit.isSigned(text, key, signature));
  }
}

/** Writes content to a temporary file and runs `work` with it. The file is deleted afterwards. */
export async function spooled<T>(
  content: AsyncIterable<Uint8Array>,
  work: (file: string, about: { readonly size: number; readonly sha256: string }) => Promise<T>,
  bytesMax = Infinity,
): Promise<T> {
  const folder = join(tmpdir(), `sluice-packet-${randomUUID()}`);
  await mkdir(folder, { mode: 0o700 });
  const file = join(folder, "packet");
  const hash = createHash("sha256");
  let size = 0;
  try {
    const handle = await open(file, "wx", 0o600);
    try {
      for await (const piece of content) {
        size += piece.byteLength;
        if (size > bytesMax) throw new PacketTooLarge(bytesMax);
        hash.update(piece);
        await handle.write(piece);
      }
    } finally {
      await handle.close();
    }
    return await work(file, { size, sha256: hash.digest("hex") });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export class PacketTooLarge extends Error {
  override readonly name = "PacketTooLarge";
  readonly bytesMax: number;

  constructor(bytesMax: number) {
    super(`the packet has more than ${bytesMax} bytes`);
    this.bytesMax = bytesMax;
  }
}

export function contentOf(file: string): AsyncIterable<Uint8Array> {
  return createReadStream(file) as AsyncIterable<Uint8Array>;
}
