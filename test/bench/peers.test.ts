import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PeerFigure, readPeerLines } from "../../bench/peer-figure.ts";
import { runPeer } from "../../bench/peer-process.ts";
import { peerTable } from "../../bench/peer-table.ts";

const line = (fields: object): string => JSON.stringify({ peer: true, ...fields });

const WHOLE = [
  line({ name: "DBOS", version: "5.3.0" }),
  line({ figure: "completionsPerSecond", value: 400 }),
  line({ figure: "idleDiamondMs", value: 50 }),
  line({ figure: "chainMs", value: 4, nodes: 100 }),
  line({ figure: "fanOutMs", value: 2, nodes: 100 }),
];

const DBOS: PeerFigure = {
  name: "DBOS",
  version: "5.3.0",
  completionsPerSecond: 400,
  idleDiamondMs: 50,
  chain: { nodes: 100, msPerNode: 4 },
  fanOut: { nodes: 100, msPerNode: 2 },
  error: null,
};

describe("the lines of a peer", () => {
  it("are its figures", () => {
    expect(readPeerLines("DBOS", WHOLE.join("\n"), null)).toEqual(DBOS);
  });

  it("may stand among whatever the package prints, and be cut short", () => {
    const noise = ["warning: {", "{ not json", "{}", "null", JSON.stringify({ figure: "idleDiamondMs", value: 1 })];
    const output = [...noise, ...WHOLE, ...noise, WHOLE[1]?.slice(0, 20)].join("\n");
    expect(readPeerLines("DBOS", output, null)).toEqual(DBOS);
  });

  it("count as far as they came before it failed", () => {
    const output = [...WHOLE.slice(0, 2), line({ error: "connection\n  refused" })].join("\n");
    expect(readPeerLines("DBOS", output, "its process ended with 1")).toEqual({
      ...DBOS,
      idleDiamondMs: null,
      chain: null,
      fanOut: null,
      error: "connection refused",
    });
  });

  it("are an error when it exits with 0 and printed too little", () => {
    expect(readPeerLines("DBOS", "", null).error).toBe("it ended before everything was measured");
  });

  it.each([0, -1, Number.NaN, "400", null])("hold no figure when a value is %s", (value) => {
    const output = [...WHOLE, line({ figure: "completionsPerSecond", value })].join("\n");
    expect(readPeerLines("DBOS", output, null).completionsPerSecond).toBeNull();
  });
});

describe("the table beside peers", () => {
  const ours = {
    idleDiamondMs: 10,
    shapes: [
      { shape: "chain", nodes: 100, msPerNode: 1 },
      { shape: "chain", nodes: 1_000, msPerNode: 9 },
      { shape: "fan-out", nodes: 100, msPerNode: 0.5 },
    ],
  };
  const beside = (peer: PeerFigure) => ({ ...peer, oursPerSecond: 4_000 });
  const rows = (peers: readonly PeerFigure[]): string[] =>
    peerTable(ours, peers.map(beside))
      .split("\n")
      .map((row) => row.trim().replaceAll(/ {2,}/g, " | "));

  it("puts ours first and names both sides of the ratio", () => {
    expect(rows([DBOS])).toEqual([
      "ratio | governed, beside peers | figure | ratio of",
      "10.00 | 10-node diamonds, 200 at a time | 4,000 nodes/s | of DBOS 5.3.0, 400 nodes/s, at least 6.5",
      "0.20 | a diamond alone | 10.0 ms | of DBOS 5.3.0, 50.0 ms",
      "0.25 | chain of 100 | 1.00 ms/node | of DBOS 5.3.0, 4.00 ms/node",
      "0.25 | fan-out of 100 | 0.50 ms/node | of DBOS 5.3.0, 2.00 ms/node",
    ]);
  });

  it("compares only shapes of the same size", () => {
    expect(rows([{ ...DBOS, chain: { nodes: 500, msPerNode: 4 } }]).some((row) => row.includes("chain"))).toBe(false);
  });

  it("gives a peer that failed one line, whatever it had measured", () => {
    const failed = readPeerLines("Mastra", "", "no such package");
    expect(peerTable(ours, [beside(failed)])).toBe("Mastra: no such package");
    expect(rows([DBOS, failed]).at(-1)).toBe("Mastra: no such package");
  });
});

describe("the process of a peer", () => {
  let directory = "";
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "sluice-peer-"));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const peer = { file: "dbos", name: "DBOS" };
  const program = (name: string, text: string): string => {
    const path = join(directory, `${name}.mjs`);
    writeFileSync(path, text);
    return path;
  };
  const printing = `console.log(${JSON.stringify(WHOLE.join("\n"))});`;

  it("receives its file and its plan, and may fail after it has printed figures", async () => {
    const text = `const [file, plan] = process.argv.slice(2); ${printing}
      process.exitCode = file === "dbos" && JSON.parse(plan).url === "u" ? 3 : 4;`;
    const failed = await runPeer(program("failing", text), peer, { patienceMs: 30_000, url: "u" });
    expect(failed).toEqual({ ...DBOS, error: "its process ended with 3" });
  });

  it("is ended when it takes too long", async () => {
    const endless = program("endless", "setInterval(() => {}, 1_000);");
    const { error } = await runPeer(endless, peer, { patienceMs: 1 });
    expect(error).toBe("it took longer than 0.001 s and was ended");
  });
});
