/** `npm run bench`: prints our own figures as ratios within one run; `--json` ends with one line of all of them. */
import { measureEngine } from "./engine.ts";

const figures = measureEngine();
const base = new Map(
  figures.filter((figure) => figure.nodes === 100).map((figure) => [figure.shape, figure.microsPerNode]),
);
const lines = figures.map(({ shape, nodes, planMs, microsPerNode }) => {
  const ratio = microsPerNode / (base.get(shape) ?? microsPerNode);
  const cells = [
    shape.padEnd(20),
    String(nodes).padStart(7),
    ratio.toFixed(2).padStart(8),
    microsPerNode.toFixed(1).padStart(10),
  ];
  return [...cells, planMs.toFixed(0).padStart(10)].join("");
});
process.stdout.write(
  `${"shape".padEnd(20)}${"nodes".padStart(7)}${"ratio".padStart(8)}${"µs/node".padStart(10)}${"plan ms".padStart(10)}\n`,
);
process.stdout.write(`${lines.join("\n")}\n`);
if (process.argv.includes("--json")) process.stdout.write(`${JSON.stringify({ engine: figures })}\n`);
