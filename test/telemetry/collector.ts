import { createServer, type IncomingMessage } from "node:http";
import { z } from "zod";

const nanos = z.string().regex(/^\d{19}$/);
const anyValue = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
]);
const attributes = z
  .array(z.strictObject({ key: z.string().min(1), value: anyValue }))
  .refine((list) => new Set(list.map(({ key }) => key)).size === list.length, "keys are unique");
const traceId = z.string().regex(/^(?!0+$)[0-9a-f]{32}$/);
const spanId = z.string().regex(/^(?!0+$)[0-9a-f]{16}$/);
const span = z
  .strictObject({
    traceId,
    spanId,
    parentSpanId: spanId.optional(),
    name: z.string().min(1),
    kind: z.number().int().min(1).max(5),
    startTimeUnixNano: nanos,
    endTimeUnixNano: nanos,
    attributes,
    events: z.array(z.strictObject({ timeUnixNano: nanos, name: z.string().min(1), attributes })),
    droppedEventsCount: z.number().int().nonnegative(),
    links: z.array(z.strictObject({ traceId, spanId })),
    status: z.strictObject({ code: z.number().int().min(0).max(2) }),
    flags: z.number().int().nonnegative(),
  })
  .refine(({ startTimeUnixNano, endTimeUnixNano }) => BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano), "order");
const request = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string().min(1), version: z.string() }),
          spans: z.array(span).min(1),
          schemaUrl: z.url(),
        }),
      ),
      schemaUrl: z.url(),
    }),
  ),
});

export type CollectedSpan = z.infer<typeof span>;

/** What a collector answers; default: 200; `hang` never does. */
type Reply = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string } | "hang";

/** Takes traces over HTTP as a collector does, and is stricter than any of them. */
export interface Collector {
  readonly endpoint: string;
  readonly spans: CollectedSpan[];
  readonly requests: { readonly path: string; readonly headers: IncomingMessage["headers"]; readonly text: string }[];
  readonly resources: string[];
  /** Whatever was wrong with what was sent. */
  readonly complaints: string[];
  /** The answers to the next requests. */
  readonly replies: Reply[];
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const collector: Omit<Collector, "endpoint" | "close"> = {
    spans: [],
    requests: [],
    resources: [],
    complaints: [],
    replies: [],
  };
  const server = createServer((incoming, outgoing) => {
    const pieces: Buffer[] = [];
    incoming.on("data", (piece: Buffer) => pieces.push(piece));
    incoming.on("end", () => {
      const text = Buffer.concat(pieces).toString("utf8");
      collector.requests.push({ path: incoming.url ?? "", headers: incoming.headers, text });
      const reply = collector.replies.shift() ?? { status: 200, body: "{}" };
      if (reply === "hang") return;
      if (reply.status === 200) take(collector, text);
      outgoing.writeHead(reply.status, { "content-type": "application/json", ...reply.headers }).end(reply.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    ...collector,
    endpoint: `http://127.0.0.1:${port}/v1/traces`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function take(collector: Pick<Collector, "spans" | "resources" | "complaints">, text: string): void {
  const read = request.safeParse(JSON.parse(text));
  if (!read.success) {
    collector.complaints.push(z.prettifyError(read.error));
    return;
  }
  for (const { resource, scopeSpans } of read.data.resourceSpans) {
    collector.resources.push(JSON.stringify(resource.attributes));
    for (const each of scopeSpans.flatMap(({ spans }) => spans)) {
      if (collector.spans.some(({ spanId: known }) => known === each.spanId)) {
        collector.complaints.push(`${each.name} came twice`);
      }
      collector.spans.push(each);
    }
  }
}

export function attributeOf({ attributes: list }: Pick<CollectedSpan, "attributes">, key: string): unknown {
  const value = list.find((attribute) => attribute.key === key)?.value;
  return value === undefined ? undefined : Object.values(value)[0];
}
