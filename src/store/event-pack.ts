import { createHash } from "node:crypto";
import { getOwn, isJsonObject, LIMITS, required, withOwn, type Json, type JsonObject } from "../core/base/index.ts";
import type { EventType, RunEvent } from "../core/event/index.ts";

/** Values above this size are moved out of the log and kept once per organisation, under their digest. */
export const BLOB_BYTES_MIN = LIMITS.inlineValueBytesMax;

/** Reference to a value that was taken out of an event's payload. The payload has null at its path. */
export interface BlobRef {
  readonly path: readonly string[];
  readonly hash: string;
  readonly bytes: number;
}

/** An event in its stored form. References are kept beside the payload, so that no author's data can be mistaken for one. */
export type StoredEvent = RunEvent & { readonly refs?: readonly BlobRef[] };

export interface PackedEvents {
  /** JSON array of stored events. */
  readonly body: string;
  /** JSON text of each value by its digest. */
  readonly blobs: ReadonlyMap<string, string>;
}

/** Paths of authors' data in the payload of each event type; `*` matches every key. */
const AUTHORS_DATA: Readonly<Partial<Record<EventType, readonly (readonly string[])[]>>> = {
  "run.started": [
    ["args", "*"],
    ["owner", "args", "*"],
  ],
  "run.finally": [["outputs", "*"]],
  "run.failed": [
    ["snapshot", "variables", "*"],
    ["snapshot", "accumulatedOutputs", "*", "*"],
  ],
  "node.expanded": [["items"]],
  "run.completed": [["outputs", "*"]],
  "node.completed": [
    ["outputs", "*"],
    ["envelope", "output"],
    ["envelope", "data"],
    ["envelope", "media"],
    ["envelope", "metadata"],
  ],
  "node.stream.delta": [["media"]],
  "node.log": [["detail"]],
  "moderation.flagged": [["decision"]],
  "event.emitted": [["key", "*"], ["data"]],
  "approval.requested": [["rendered"], ["subject"]],
  "approval.revised": [["subject"], ["modifications", "*"], ["form"]],
  "approval.resolved": [["modifications", "*"], ["form"]],
};

export function packEvents(events: readonly RunEvent[]): PackedEvents {
  const blobs = new Map<string, string>();
  // Built by concatenation instead of join: the whole batch is joined once later, and these texts are copied only then.
  let body = "";
  for (const event of events) body += `${body === "" ? "[" : ","}${packEvent(event, blobs)}`;
  return { body: body === "" ? "[]" : `${body}]`, blobs };
}

function packEvent(event: RunEvent, blobs: Map<string, string>): string {
  const text = JSON.stringify(event);
  // A code unit takes at most three bytes, so the bytes of short texts need not be counted.
  if (text.length * 3 <= BLOB_BYTES_MIN || Buffer.byteLength(text) <= BLOB_BYTES_MIN) return text;
  const refs: BlobRef[] = [];
  let payload: Json = event.payload as unknown as JsonObject;
  for (const pattern of AUTHORS_DATA[event.type] ?? []) payload = takeOut(payload, pattern, [], refs, blobs);
  return refs.length === 0 ? text : JSON.stringify({ ...event, payload, refs });
}

function takeOut(
  value: Json,
  pattern: readonly string[],
  path: readonly string[],
  refs: BlobRef[],
  blobs: Map<string, string>,
): Json {
  const [head, ...rest] = pattern;
  if (head === undefined) return replaceLarge(value, path, refs, blobs);
  if (!isJsonObject(value)) return value;
  let result: JsonObject = value;
  for (const key of head === "*" ? Object.keys(value) : [head]) {
    const child = getOwn(value, key);
    if (child === undefined) continue;
    const kept = takeOut(child, rest, [...path, key], refs, blobs);
    if (kept !== child) result = withOwn(result, key, kept);
  }
  return result;
}

function replaceLarge(value: Json, path: readonly string[], refs: BlobRef[], blobs: Map<string, string>): Json {
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes <= BLOB_BYTES_MIN) return value;
  const hash = `sha256:${createHash("sha256").update(text).digest("hex")}`;
  blobs.set(hash, text);
  refs.push({ path, hash, bytes });
  return null;
}

/** Parses the events of one or more bodies. References are not resolved. */
export function readBodies(bodies: readonly string[]): StoredEvent[] {
  return bodies.flatMap((body) => JSON.parse(body) as StoredEvent[]);
}

export function hashesIn(events: readonly StoredEvent[]): Set<string> {
  return new Set(events.flatMap((event) => (event.refs ?? []).map((ref) => ref.hash)));
}

/** Restores events as they were before packing. It changes its argument, so pass only events just returned by `readBodies`. */
export function unpackEvents(events: readonly StoredEvent[], blobs: ReadonlyMap<string, string>): RunEvent[] {
  return events.map((stored) => {
    if (stored.refs === undefined) return stored;
    const { refs, ...event } = stored;
    for (const { path, hash } of refs) {
      const text = required(blobs.get(hash), `a value of event ${event.eventId} is missing: blob ${hash}`);
      putAt(event.payload as unknown as JsonObject, path, JSON.parse(text) as Json);
    }
    return event;
  });
}

function putAt(root: JsonObject, path: readonly string[], value: Json): void {
  let parent = root;
  for (const key of path.slice(0, -1)) {
    const child = getOwn(parent, key);
    parent = required(isJsonObject(child) ? child : null, `a stored reference leads nowhere at ${key}`);
  }
  // A plain assignment is unsafe for a key such as `__proto__`.
  const key = required(path.at(-1), "a stored reference has no path");
  Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
}
