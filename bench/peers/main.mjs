/**
 * `node main.mjs PEER PLAN`: measures one peer in a process of its own and prints each figure as a line of JSON as soon
 * as it is known, so that what was measured before a peer fails is not lost. Plain JavaScript, because the checks of the
 * product must neither install these packages nor need their types.
 */
import { readFileSync } from "node:fs";
import { DIAMOND_NODES } from "./graphs.mjs";

// Packages print to the console as they like; lines of ours are marked.
const print = (line) => process.stdout.write(`${JSON.stringify({ peer: true, ...line })}\n`);

async function throughput(run, concurrent, total) {
  let begun = 0;
  const lane = async () => {
    while (begun < total) {
      begun += 1;
      await run();
    }
  };
  const before = performance.now();
  await Promise.all(Array.from({ length: Math.min(concurrent, total) }, lane));
  return (total * DIAMOND_NODES * 1_000) / (performance.now() - before);
}

async function millisecondsOf(run) {
  const before = performance.now();
  await run();
  return performance.now() - before;
}

function median(values) {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)];
}

async function measure(peer, plan) {
  const { concurrent, warmUp, diamonds, rounds, idleRuns, chain, fanOut } = plan;
  // The same shapes at a tenth of the size come first: what is meant is a process that has been running.
  const small = { chain: Math.ceil(chain / 10), fanOut: Math.ceil(fanOut / 10) };
  const sizes = { chains: [small.chain, chain], fanOuts: [small.fanOut, fanOut] };
  const engine = await peer.open({ ...plan, sizes });
  try {
    await throughput(engine.runDiamond, concurrent, warmUp);
    const rates = [];
    for (let round = 0; round < rounds; round += 1) {
      rates.push(await throughput(engine.runDiamond, concurrent, diamonds));
    }
    print({ figure: "completionsPerSecond", value: median(rates) });
    const lone = [];
    for (let run = 0; run < idleRuns; run += 1) lone.push(await millisecondsOf(engine.runDiamond));
    print({ figure: "idleDiamondMs", value: median(lone) });
    await engine.runChain(small.chain);
    print({ figure: "chainMs", value: (await millisecondsOf(() => engine.runChain(chain))) / chain, nodes: chain });
    await engine.runFanOut(small.fanOut);
    print({
      figure: "fanOutMs",
      value: (await millisecondsOf(() => engine.runFanOut(fanOut))) / fanOut,
      nodes: fanOut,
    });
  } finally {
    await engine.close();
  }
}

const [which, plan] = process.argv.slice(2);
try {
  const peer = await import(`./${which}.mjs`);
  const manifest = new URL(`node_modules/${peer.packageName}/package.json`, import.meta.url);
  print({ name: peer.name, version: JSON.parse(readFileSync(manifest, "utf8")).version });
  await measure(peer, JSON.parse(plan));
  // What a package leaves open must not keep the benchmark waiting.
  process.exit(0);
} catch (error) {
  print({ error: error instanceof Error ? error.message : String(error) });
  process.exit(1);
}
