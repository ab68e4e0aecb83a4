import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { isJsonObject, type Json } from "../core/base/index.ts";
import { FAMILY_PACKET_FORMAT, type PacketEnd, type PacketHeader, type PacketLine, signedText } from "./packet-line.ts";

/** Thrown for a packet that cannot be used. */
export class PacketRefused extends Error {
  override readonly name = "PacketRefused";
  readonly code: "packet_invalid" | "packet_unsigned" | "run_exists";

  constructor(code: PacketRefused["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** Maximum length of a line. Lines have a few megabytes, except for single large values. */
const LINE_BYTES_MAX = 268_435_456;

export type IsSigned = (text: string, key: string, signature: string) => boolean | Promise<boolean>;

export interface VerifiedPacket {
  readonly header: PacketHeader;
  readonly lines: number;
  readonly sha256: string;
  readonly key: string;
}

/** Reads a whole packet and verifies that it is complete, unchanged and signed with a trusted key. */
export async function verifyPacket(content: AsyncIterable<Uint8Array>, isSigned: IsSigned): Promise<VerifiedPacket> {
  const hash = createHash("sha256");
  let header: PacketHeader | null = null;
  let end: PacketEnd | null = null;
  let count = 0;
  for await (const text of textLines(content)) {
    if (end !== null) throw invalid(`line ${count + 2} follows its end`);
    const line = parsed(text, count + 1);
    if (header === null) header = headerOf(line);
    if (line["kind"] === "end") end = line as unknown as PacketEnd;
    else {
      hash.update(`${text}\n`);
      count += 1;
    }
  }
  if (header === null || end === null) throw invalid("it ends too early");
  const sha256 = hash.digest("hex");
  const { lines, key, signature } = end;
  if (lines !== count || end.sha256 !== sha256) throw invalid("its lines are not those that were signed");
  if (
    typeof key !== "string" ||
    typeof signature !== "string" ||
    !(await isSigned(signedText(sha256), key, signature))
  ) {
    throw new PacketRefused(
      "packet_unsigned",
      `The packet is not signed with a key that is known here, but with ${key}.`,
    );
  }
  return { header, lines, sha256, key };
}

/** Reads only the beginning of a packet. */
export async function packetHeader(content: AsyncIterable<Uint8Array>): Promise<PacketHeader> {
  for await (const text of textLines(content)) return headerOf(parsed(text, 1));
  throw invalid("it ends too early");
}

/** Whether the content of all runs in the packet was erased. */
export function isErased({ run: rootId, erased = [] }: PacketHeader): boolean {
  return erased.some(({ run }) => run === rootId);
}

/** Yields the lines of a verified packet, without header and end. */
export async function* packetLines(content: AsyncIterable<Uint8Array>): AsyncGenerator<PacketLine, void> {
  let number = 0;
  for await (const text of textLines(content)) {
    number += 1;
    const line = parsed(text, number);
    // The packet was signed, and only this program writes signed packets, so the line is not validated.
    if (line["kind"] !== "header" && line["kind"] !== "end") yield line as unknown as PacketLine;
  }
}

type Line = Readonly<Record<string, Json>>;

function parsed(text: string, number: number): Line {
  try {
    const value = JSON.parse(text) as Json;
    if (isJsonObject(value)) return value;
  } catch {
    // Handled below, like JSON that is not an object.
  }
  throw invalid(`line ${number} is no JSON object`);
}

function headerOf(line: Line): PacketHeader {
  if (line["kind"] !== "header" || line["format"] !== FAMILY_PACKET_FORMAT) {
    throw invalid(`it does not begin with a header of ${FAMILY_PACKET_FORMAT}`);
  }
  return line as unknown as PacketHeader;
}

async function* textLines(content: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const chunk of unzipped(content)) {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      yield Buffer.concat([...waiting, chunk.subarray(from, at)]).toString("utf8");
      waiting = [];
      size = 0;
      from = at + 1;
    }
    waiting.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > LINE_BYTES_MAX) throw invalid("a line of it is too long");
  }
  if (size > 0) throw invalid("it ends in the middle of a line");
}

async function* unzipped(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  const unzip = createGunzip();
  const source = Readable.from(content);
  source.once("error", (error) => unzip.destroy(error));
  try {
    for await (const chunk of source.pipe(unzip)) yield chunk as Buffer;
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && String(thrown.code).startsWith("Z_")) {
      throw invalid("it is not compressed with gzip, or ends too early");
    }
    throw thrown;
  } finally {
    source.destroy();
    unzip.destroy();
  }
}

function invalid(what: string): PacketRefused {
  return new PacketRefused("packet_invalid", `This is no packet of a run that can be used: ${what}.`);
}
