/** The peers one after the other, each in a process and a database of its own on the server ours was measured on. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Sql } from "../src/store/index.ts";
import { type PeerEnding, type PeerFigure, readPeerLines } from "./peer-figure.ts";
import { installPeers, startRedis, startRestate } from "./peer-packages.ts";

export interface PeerPlan {
  /** Diamonds of ours before and after each peer. */
  readonly ours: number;
  readonly concurrent: number;
  readonly warmUp: number;
  readonly diamonds: number;
  readonly rounds: number;
  readonly idleRuns: number;
  readonly chain: number;
  readonly fanOut: number;
  /** A peer that takes longer is ended, and what it has measured until then counts. */
  readonly patienceMs: number;
}

const PEERS = [
  { file: "dbos", name: "DBOS", isOn: "Postgres" },
  { file: "langgraph", name: "LangGraph", isOn: "Postgres" },
  { file: "mastra", name: "Mastra", isOn: "Postgres" },
  { file: "bullmq", name: "BullMQ", isOn: "Redis" },
  { file: "restate", name: "Restate", isOn: "Restate" },
  { file: "restate-callback", name: "Restate, callback", isOn: "Restate" },
] as const;

export interface PeerGround {
  /** Of the checkout. */
  readonly root: string;
  readonly sql: Sql;
  readonly url: string;
  /** Node completions per second of ours, governed. A machine is rarely as fast now as it was a minute ago. */
  readonly ours: () => Promise<number>;
  /** Whether there is time for another. */
  readonly hasTime: () => boolean;
  readonly print: (line: string) => void;
}

/** A peer, and what ours did right before and right after it, on the average. */
export interface BesidePeer extends PeerFigure {
  readonly oursPerSecond: number;
}

/** A failure of a peer is recorded in its figure and does not stop the benchmark. */
export async function measurePeers(ground: PeerGround, plan: PeerPlan): Promise<readonly BesidePeer[]> {
  const directory = join(ground.root, "bench", "peers");
  const missing = installPeers(directory, ground.print);
  const figures: BesidePeer[] = [];
  let before = await ground.ours();
  for (const peer of PEERS) {
    const leftOut = missing ?? (ground.hasTime() ? null : "left out: this run has no time left for it");
    const figure =
      leftOut === null ? await measurePeer(ground, directory, peer, plan) : readPeerLines(peer.name, "", leftOut);
    const after = figure.completionsPerSecond === null ? before : await ground.ours();
    figures.push({ ...figure, oursPerSecond: (before + after) / 2 });
    before = after;
  }
  return figures;
}

async function measurePeer(ground: PeerGround, directory: string, peer: Peer, plan: PeerPlan): Promise<PeerFigure> {
  ground.print(`beside ${peer.name}`);
  try {
    return await (peer.isOn === "Postgres" ? onPostgres : onOwnServer)(ground, directory, peer, plan);
  } catch (error) {
    return readPeerLines(peer.name, "", error instanceof Error ? error.message : String(error));
  }
}

type Peer = (typeof PEERS)[number];

async function onPostgres(ground: PeerGround, directory: string, peer: Peer, plan: PeerPlan): Promise<PeerFigure> {
  const name = `peer_${peer.file}`;
  await ground.sql.query({ name: "", text: `create database ${name}` });
  // What was measured before has left pages to write, which are not this peer's.
  await ground.sql.query({ name: "", text: "checkpoint" });
  const url = new URL(ground.url);
  url.pathname = `/${name}`;
  return runPeer(join(directory, "main.mjs"), peer, { ...plan, postgresUrl: url.href });
}

async function onOwnServer(ground: PeerGround, directory: string, peer: Peer, plan: PeerPlan): Promise<PeerFigure> {
  const server = await (peer.isOn === "Redis" ? startRedis(ground.print) : startRestate(directory));
  if (typeof server === "string") return readPeerLines(peer.name, "", server);
  try {
    return await runPeer(join(directory, "main.mjs"), peer, { ...plan, ...server.settings });
  } finally {
    await server.close();
  }
}

interface PeerProgram {
  readonly file: string;
  readonly name: string;
}

/** `program` is started with the file of the peer and the plan, and prints figures as lines of JSON. */
export function runPeer(
  program: string,
  peer: PeerProgram,
  plan: { readonly patienceMs: number; readonly [setting: string]: number | string },
): Promise<PeerFigure> {
  const child = spawn(process.execPath, [...process.execArgv, program, peer.file, JSON.stringify(plan)], {
    stdio: ["ignore", "pipe", "ignore"],
    env: quietEnvironment(),
  });
  let output = "";
  let isLate = false;
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString("utf8");
  });
  const patience = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, plan.patienceMs);
  return new Promise((resolve) => {
    const finish = (ending: PeerEnding): void => {
      clearTimeout(patience);
      resolve(readPeerLines(peer.name, output, ending));
    };
    child.once("error", (error) => finish(error.message));
    child.once("close", (code, signal) => {
      if (isLate) finish(`it took longer than ${plan.patienceMs / 1_000} s and was ended`);
      else finish(code === 0 ? null : `its process ended with ${code ?? signal}`);
    });
  });
}

/** Production, nothing traced, nothing reported home: none of it may cost a peer time. */
function quietEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:PG|DBOS|LANG(?:SMITH|CHAIN)|MASTRA)/.test(name),
  );
  return { ...Object.fromEntries(inherited), NODE_ENV: "production", MASTRA_TELEMETRY_DISABLED: "1" };
}
