import { appendFile, mkdir } from "node:fs/promises";
import { createReadStream } from "node:fs";
import { dirname } from "node:path";
import { canonicalJson, type JsonObject } from "../core/base/index.ts";
import type { AuditCheckpoint } from "../core/audit/index.ts";
import { verifySignature } from "./signer.ts";
import { linesOf } from "./verify.ts";

/** Number of a record → its hash, by organisation. */
export type Anchors = (org: string) => ReadonlyMap<number, string>;

/**
 * Keeps signed checkpoints where the database cannot be used to change them. A later checkpoint vouches for everything
 * before it, so that one that was lost on the way takes nothing away.
 */
export async function appendCheckpoints(file: string, checkpoints: readonly string[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await appendFile(file, checkpoints.map((line) => `${line}\n`).join(""), { flush: true });
}

/** What a file of checkpoints vouches for. Throws when it holds anything else. */
export async function readAnchors(file: string): Promise<Anchors> {
  const byOrg = new Map<string, Map<number, string>>();
  let count = 0;
  for await (const { text } of linesOf(createReadStream(file))) {
    count += 1;
    const checkpoint = text === null ? null : checkpointOf(text);
    if (checkpoint === null) throw new Error(`${file}:${count}: this is no signed checkpoint`);
    const { org, toSeq, lastHash } = checkpoint;
    let anchors = byOrg.get(org);
    if (anchors === undefined) byOrg.set(org, (anchors = new Map()));
    // The file only grows: a person who rewrites the log can add to it, but its first lines stand.
    if (!anchors.has(toSeq)) anchors.set(toSeq, lastHash);
  }
  return (org) => byOrg.get(org) ?? new Map();
}

function checkpointOf(line: string): AuditCheckpoint | null {
  try {
    const { signature, ...unsigned } = JSON.parse(line) as JsonObject;
    const { kind, key } = unsigned;
    if (kind !== "checkpoint" || typeof key !== "string" || typeof signature !== "string") return null;
    return verifySignature(key, canonicalJson(unsigned), signature) ? (unsigned as unknown as AuditCheckpoint) : null;
  } catch {
    return null;
  }
}
