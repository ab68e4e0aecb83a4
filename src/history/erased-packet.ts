import { freeTextOf } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { EVENT_CONTENT, type RunEvent, withoutContent } from "../core/event/index.ts";
import type { PacketErasure, PacketHeader, PacketLine } from "./packet-line.ts";
import { erasedApproval, erasedArgs, tombstoneOf } from "./tombstone.ts";

/** Yields a packet without its content, with the erasure recorded in the header. */
export async function* erasedPacket(
  header: PacketHeader,
  lines: AsyncIterable<PacketLine>,
  erasure: PacketErasure,
): AsyncGenerator<object> {
  yield { ...header, erased: [...(header.erased ?? []), erasure] };
  for await (const line of lines) {
    const kept = erasedLine(line);
    if (kept !== null) yield kept;
  }
}

function erasedLine(line: PacketLine): PacketLine | null {
  switch (line.kind) {
    case "run":
      return { ...line, run: { ...line.run, args: erasedArgs(line.run.args), labels: {}, errorMessage: null } };
    case "events":
      return { ...line, events: line.events.map(erasedEvent) };
    case "approval":
      return { ...line, approval: erasedApproval(line.approval), comments: [] };
    case "records":
      return { ...line, records: line.records.filter((record) => freeTextOf(record) === null) };
    case "definition":
      return line;
    default:
      // All other lines contain only content.
      return null;
  }
}

function erasedEvent(event: RunEvent): RunEvent {
  const payload = event.payload as unknown as JsonObject;
  const erased = withoutContent(payload, EVENT_CONTENT[event.type], tombstoneOf(payload));
  return { ...event, payload: erased } as unknown as RunEvent;
}
