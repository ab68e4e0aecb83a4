import { appendFile, mkdir } from "node:fs/promises";
import { createReadStream } from "node:fs";
import { dirname } from "node:path";
import { canonicalJson, type JsonObject } from "../core/base/index.ts";
import type { AuditCheckpoint } from "../core/audit/index.ts";
import { verifySignature } from "./signer.ts";
import { linesOf } from "./verify.ts";

/** Returns the hash of each record number in the checkpoints of an organisation. */
export type Anchors = (org: string) => ReadonlyMap<number, string>;

/**
 * Appends signed checkpoints to a file that cannot be changed through the database. A later checkpoint also covers all
 * records before it, so that a lost checkpoint removes no protection.
 */
export async function appendCheckpoints(file: string, checkpoints: readonly string[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await appendFile(file, checkpoints.map((line) => `${line}\n`).join(""), { flush: true });
}

/** Reads the hashes from a file of checkpoints. Throws when the file contains anything else. */
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
    // The first entry counts. An attacker who rewrites the log can append to this file but not change its first lines.
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
