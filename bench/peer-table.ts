/** Ours, with all gates, beside what others do of the same kind on the same server. */
import type { GovernedFigure } from "./governed.ts";
import type { PeerFigure, PeerShape } from "./peer-figure.ts";
import type { BesidePeer } from "./peer-process.ts";
import { type Line, rounded, table } from "./report.ts";

/** How many times as many nodes per second ours should complete. */
const BARS: Readonly<Record<string, number>> = { DBOS: 6.5, LangGraph: 11, Mastra: 5.5, BullMQ: 2.5 };

export type Ours = Pick<GovernedFigure, "idleDiamondMs" | "shapes">;

/** A table, and below it a line for each peer of which something is missing. */
export function peerTable(ours: Ours, peers: readonly BesidePeer[]): string {
  const lines = [
    ...peers.flatMap(rateLine),
    ...peers.flatMap((peer) => idleLine(ours, peer)),
    ...peers.flatMap((peer) => shapeLine(ours, "chain", peer, peer.chain)),
    ...peers.flatMap((peer) => shapeLine(ours, "fan-out", peer, peer.fanOut)),
  ];
  const missing = peers.flatMap((peer) => (peer.error === null ? [] : [`${titleOf(peer)}: ${peer.error}`]));
  return [...(lines.length === 0 ? [] : [table("governed, beside peers", lines)]), ...missing].join("\n");
}

function titleOf({ name, version }: PeerFigure): string {
  return version === null ? name : `${name} ${version}`;
}

function rateLine(peer: BesidePeer): readonly Line[] {
  const { completionsPerSecond: theirs, oursPerSecond: value } = peer;
  if (theirs === null) return [];
  const bar = Object.hasOwn(BARS, peer.name) ? `, at least ${BARS[peer.name]}` : "";
  const against = `${titleOf(peer)}, ${rounded(theirs)} nodes/s${bar}`;
  return [{ what: "10-node diamonds, 200 at a time", ratio: value / theirs, value, unit: "nodes/s", against }];
}

function idleLine({ idleDiamondMs: value }: Ours, peer: PeerFigure): readonly Line[] {
  const theirs = peer.idleDiamondMs;
  if (theirs === null) return [];
  const against = `${titleOf(peer)}, ${rounded(theirs)} ms`;
  return [{ what: "a diamond alone", ratio: value / theirs, value, unit: "ms", against }];
}

/** Only what is as large: some peers pay for every node by how many there are. */
function shapeLine({ shapes }: Ours, shape: string, peer: PeerFigure, theirs: PeerShape | null): readonly Line[] {
  const ours = shapes.find((one) => one.shape === shape && one.nodes === theirs?.nodes);
  if (ours === undefined || theirs === null) return [];
  return [
    {
      what: `${shape} of ${ours.nodes}`,
      ratio: ours.msPerNode / theirs.msPerNode,
      value: ours.msPerNode,
      unit: "ms/node",
      against: `${titleOf(peer)}, ${rounded(theirs.msPerNode)} ms/node`,
    },
  ];
}
