/**
 * What others read of Sluice, checked by their own programs: the OpenAPI document, the metrics, the package. Where a
 * program can neither be found nor installed, that is written out and its check holds nothing.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { renderMetricReference } from "../../scripts/reference/metric-reference.ts";
import { createApi, HELLO } from "../api/fixture.ts";
import { REPOSITORY } from "../law/source.ts";
import { readExposition } from "../telemetry/exposition.ts";
import { installLinters, lint } from "./installed.ts";

const MINUTES = 60_000;
/**
 * Redocly: every recommended rule, warnings included. Spectral: everything it knows of OpenAPI but two: a license has an
 * identifier or an address, never both, and who runs a server is not known to the program.
 */
const REDOCLY = "extends: [recommended-strict]\n";
const SPECTRAL = 'extends: [["spectral:oas", all]]\nrules: { license-url: off, contact-properties: off }\n';

let directory = "";
let missing: string | null = null;
let metrics = "";
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "sluice-linters-"));
  missing = installLinters();
  if (missing !== null) process.stderr.write(`sluice: not linted: ${missing}\n`);
  const api = await createApi({ spanFigures: () => SPANS });
  await api.save(HELLO);
  await api.run("hello", { who: "Ada" });
  api.app.countAlert("budget");
  writeFileSync(join(directory, "openapi.json"), await (await api.ask("GET", "/openapi.json")).text());
  metrics = await (await api.ask("GET", "/metrics")).text();
  await api.close();
}, 10 * MINUTES);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const SPANS = { queuedSpans: 0, sentSpans: 1, droppedSpans: 0, failedRequests: 0 };

it("the OpenAPI document, by Redocly", () => {
  if (missing !== null) return;
  writeFileSync(join(directory, "redocly.yaml"), REDOCLY);
  expect(lint("redocly", ["lint", "openapi.json", "--config", "redocly.yaml"], directory)).toBe("");
});

it("the OpenAPI document, by Spectral", () => {
  if (missing !== null) return;
  writeFileSync(join(directory, "spectral.yaml"), SPECTRAL);
  const flags = ["--ruleset", "spectral.yaml", "--fail-severity", "hint"];
  expect(lint("spectral", ["lint", "openapi.json", ...flags], directory)).toBe("");
});

it(
  "the package, by publint and attw",
  () => {
    if (missing !== null) return;
    spawnSync("npm", ["pack", "--loglevel=error", "--pack-destination", directory], { cwd: REPOSITORY });
    const tarball = join(directory, readdirSync(directory).find((name) => name.endsWith(".tgz")) ?? "none");
    expect(lint("publint", ["run", tarball, "--strict"], directory)).toBe("");
    // ESM only, as Node 20.19 can also `require` it.
    expect(lint("attw", [tarball, "--profile", "esm-only"], directory)).toBe("");
  },
  20 * MINUTES,
);

it("the metrics, as they are and every one there can be, by promtool", () => {
  for (const text of [metrics, everyMetric()]) {
    readExposition(text);
    const { error, status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], {
      input: text,
      encoding: "utf8",
    });
    if (error !== undefined) process.stderr.write(`sluice: not checked by promtool: ${error.message}\n`);
    else expect([status, stdout + stderr]).toEqual([0, ""]);
  }
});

/** One sample of each, from the page that lists them. */
function everyMetric(): string {
  const rows = renderMetricReference(REPOSITORY).matchAll(/^\| `(\w+)` \| (\w+) \| (.+) \|$/gm);
  const families = [...rows].map(([, name = "", type = "", help = ""]) => {
    const samples =
      type === "histogram"
        ? [`${name}_bucket{le="+Inf"} 1`, `${name}_sum 1`, `${name}_count 1`].join("\n")
        : `${name} 1`;
    return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples}\n`;
  });
  expect(families.length).toBeGreaterThan(20);
  return families.join("");
}
