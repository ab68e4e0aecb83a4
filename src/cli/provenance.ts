import type { Handoff, LineageQuery } from "../client/index.ts";
import type { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { lineageLines } from "./lineage-tree.ts";
import { formatWhen, type ListOptions, printJson, printList } from "./listing.ts";
import { Refusal } from "./refusal.ts";
import { oneLine } from "./terminal-text.ts";

export const PROVENANCE_FORMATS = ["text", "json", "prov", "openlineage"] as const;

export interface ProvenanceOptions {
  readonly format?: (typeof PROVENANCE_FORMATS)[number];
  readonly node?: string;
  readonly output?: string;
  readonly down?: boolean;
  readonly json?: boolean;
}

/** Prints the values passed between the nodes of a run, the lineage tree of one value, or a document for other tools. */
export async function showProvenance(io: Io, api: Api, id: string, options: ProvenanceOptions): Promise<number> {
  const { node, output, down } = options;
  const format = options.json === true ? "json" : (options.format ?? "text");
  const isLineage = node !== undefined || output !== undefined;
  if (down === true && !isLineage) throw new Refusal("--down needs --node, or --output args.NAME");
  if (format === "prov" || format === "openlineage") {
    if (isLineage) throw new Refusal(`--format ${format} is about the whole run; leave out --node and --output`);
    printJson(io, await api.getProvenance(id, { format }));
    return EXIT.fine;
  }
  if (isLineage) {
    const request: LineageQuery = {
      ...(node === undefined ? {} : { node }),
      ...(output === undefined ? {} : { output }),
      direction: down === true ? "down" : "up",
    };
    const lineage = await api.getProvenance(id, request as LineageQuery & { readonly output: string });
    if (format === "json") printJson(io, lineage);
    else for (const line of lineageLines(lineage)) io.out.write(`${line}\n`);
    return EXIT.fine;
  }
  printList(io, await api.getProvenance(id, { format: "json" }), { json: format === "json" }, ROWS);
  return EXIT.fine;
}

const ROWS = {
  none: "nothing was handed over in this run",
  head: ["FROM", "VALUE", "TO", "INPUT", "TRANSFORM"],
  row: (row: Handoff): readonly string[] => [
    placeOf(row.sourceRunId, row.sourceNodeId, row.targetRunId),
    oneLine(row.sourceOutputPath),
    placeOf(row.targetRunId, row.targetNodeId, row.targetRunId),
    oneLine(row.targetInputPath),
    oneLine(row.transform ?? ""),
  ],
};

/** Returns the place of a value. The run is named only when it is a different run. */
function placeOf(runId: string, nodeId: string | null, ownRunId: string): string {
  const place = nodeId === null ? "args" : oneLine(nodeId);
  return runId === ownRunId ? place : `${oneLine(runId)}/${place}`;
}

export interface CheckpointOptions extends Pick<ListOptions, "limit" | "json"> {
  readonly after?: number;
}

/** Lists the events to which a run can be rewound, or from which it can be branched. */
export async function listCheckpoints(io: Io, api: Api, id: string, options: CheckpointOptions): Promise<number> {
  const { limit, after, json } = options;
  const page = await api.listCheckpoints(id, {
    ...(limit === undefined ? {} : { limit }),
    ...(after === undefined ? {} : { afterEventId: after }),
  });
  const now = io.clock.now();
  const { nextCursor, ...rest } = page;
  printList(
    io,
    json === true ? page : rest,
    { json: json === true },
    {
      none: "nothing has settled in this run yet",
      head: ["EVENT", "NODE", "WHAT", "WHEN"],
      row: ({ eventId, nodeId, type, timestamp }) => [
        String(eventId),
        oneLine(nodeId ?? ""),
        type.replace(/^node\./, ""),
        formatWhen(timestamp, now),
      ],
    },
  );
  if (json !== true && nextCursor !== undefined) io.err.write(`there are more: --after ${nextCursor}\n`);
  return EXIT.fine;
}
