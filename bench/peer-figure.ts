/** What is known of a peer, read from the lines its process printed. */
export interface PeerFigure {
  readonly name: string;
  readonly version: string | null;
  readonly completionsPerSecond: number | null;
  readonly idleDiamondMs: number | null;
  readonly chain: PeerShape | null;
  readonly fanOut: PeerShape | null;
  /** Why some of it, or all, is missing. */
  readonly error: string | null;
}

export interface PeerShape {
  readonly nodes: number;
  readonly msPerNode: number;
}

/** How the process ended, when it was not by itself and well. */
export type PeerEnding = string | null;

/** Every line that is not one of ours is the package's own and is passed over. */
export function readPeerLines(name: string, output: string, ending: PeerEnding): PeerFigure {
  const figures = new Map<string, Record<string, unknown>>();
  let about: Record<string, unknown> = {};
  let error: string | null = null;
  for (const line of output.split("\n")) {
    const fields = ourLine(line);
    if (fields === null) continue;
    if (typeof fields["figure"] === "string") figures.set(fields["figure"], fields);
    else if (typeof fields["error"] === "string") error = fields["error"];
    else about = fields;
  }
  const figure = {
    name,
    version: typeof about["version"] === "string" ? about["version"] : null,
    completionsPerSecond: positive(figures.get("completionsPerSecond")?.["value"]),
    idleDiamondMs: positive(figures.get("idleDiamondMs")?.["value"]),
    chain: shapeOf(figures.get("chainMs")),
    fanOut: shapeOf(figures.get("fanOutMs")),
  };
  const isWhole = Object.values(figure).every((value) => value !== null);
  return { ...figure, error: oneLine(error ?? ending) ?? (isWhole ? null : "it ended before everything was measured") };
}

function ourLine(line: string): Record<string, unknown> | null {
  if (!line.startsWith("{")) return null;
  try {
    const fields = JSON.parse(line) as Record<string, unknown>;
    return fields["peer"] === true ? fields : null;
  } catch {
    return null;
  }
}

function shapeOf(fields: Record<string, unknown> | undefined): PeerShape | null {
  const msPerNode = positive(fields?.["value"]);
  const nodes = positive(fields?.["nodes"]);
  return msPerNode === null || nodes === null ? null : { nodes, msPerNode };
}

function positive(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : null;
}

const ERROR_MAX = 160;

function oneLine(text: string | null): string | null {
  return text === null ? null : text.replaceAll(/\s+/g, " ").trim().slice(0, ERROR_MAX);
}
