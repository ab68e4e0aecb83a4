import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import { describe, expect, it } from "vitest";
import { checkAdapter, outcomeText, runTurn, type Adapter, type Sample } from "../src/adapter/index.ts";
import { openAdapters, ADAPTER_NAMES, EMPTY_SCRIPT, closeAdapters, type AdapterName } from "../src/adapters/index.ts";
import { OwnEngine } from "../src/cli/own-engine.ts";
import { createSystemClock } from "../src/clock/index.ts";
import type { JsonObject } from "../src/core/base/index.ts";
import type { RunEvent } from "../src/core/event/index.ts";
import { readSource } from "../src/core/text/index.ts";
import { createAllowAllJudge } from "../src/governance/index.ts";
import { REPOSITORY } from "./law/source.ts";
import { compiledWorkflowOf } from "./own/play.ts";

interface Example {
  readonly adapter: Adapter;
  readonly sample: Sample;
}

const FOLDER = join(REPOSITORY, "examples/adapters");

describe("example adapters", () => {
  it.each(readdirSync(FOLDER).filter((file) => file.endsWith(".js")))("%s passes the suite", async (file) => {
    const { adapter, sample } = (await import(join(FOLDER, file))) as Example;
    const report = await checkAdapter(adapter, { sample });
    expect(report.checks.filter(({ ok }) => ok === false)).toEqual([]);
    expect(readFileSync(join(FOLDER, file), "utf8").split("\n").length).toBeLessThanOrEqual(60);
  });

  it("word-count counts", async () => {
    const { adapter } = (await import(join(FOLDER, "word-count.js"))) as Example;
    const request = { stdin: "one  two\nthree", message: "" } as never;
    const hooks = { signal: new AbortController().signal, onPartial: () => undefined, onLog: () => undefined };
    expect(await adapter.execute(request, hooks)).toMatchObject({ outputs: { count: 3, longest: "three" } });
  });
});

describe("13-services", () => {
  it("calls a service, a command and a tool", async () => {
    const example = (file: string): string => readFileSync(join(REPOSITORY, "examples", file), "utf8");
    const service = createServer((request, response) =>
      response.end(JSON.stringify({ status: `${request.method} ok` })),
    );
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
    const { port } = service.address() as AddressInfo;
    const config = example("13-bridge.yaml").replace("127.0.0.1:7717", `127.0.0.1:${port}`);
    const { tree } = readSource(new TextEncoder().encode(config));
    if (tree === null) throw new Error("the configuration cannot be read");
    const { adapters: sections } = tree.value as { adapters: Partial<Record<AdapterName, JsonObject>> };
    const names = ["http", "process", "mcp"] as const;
    const directory = mkdtempSync(join(tmpdir(), "sluice-example-"));
    const clock = createSystemClock();
    const adapters = await openAdapters({
      names,
      sections,
      env: process.env,
      clock,
      directory,
      script: EMPTY_SCRIPT,
      ledger: null,
    });
    const events: RunEvent[] = [];
    const engine = new OwnEngine({
      clock,
      adapters,
      judge: createAllowAllJudge(new Set(names), "scripted"),
      answer: null,
      onLeftOpen: () => undefined,
      onEvents: (_, more) => events.push(...more),
      jitter: () => 0,
      runId: "run_1",
    });
    try {
      const piece = compiledWorkflowOf(example("13-services.lobsterX"));
      await engine.start(piece, { first: 2, second: 3 }, { trigger: "test" });
      const { state } = await engine.whenSettled();
      expect([state.status, events.filter(({ type }) => type === "node.failed")]).toEqual(["completed", []]);
      const ended = events.flatMap((event) => (event.type === "node.completed" ? [event.payload] : []));
      expect(Object.fromEntries(ended.map(({ nodeId, outputs }) => [nodeId, outputs]))).toMatchObject({
        health: { status: "GET ok" },
        add: { sum: 5 },
      });
      expect(JSON.stringify(ended.find(({ nodeId }) => nodeId === "count")?.envelope)).toMatch(/"\s*2\\n"/);
    } finally {
      await engine.stop();
      await closeAdapters(adapters);
      service.close();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

describe("docs/adapters.md", () => {
  const page = readFileSync(join(REPOSITORY, "docs/adapters.md"), "utf8");
  const blocks = (language: string): string[] =>
    [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map((match) => match[1] ?? "");

  it("shows configurations that the adapters take", async () => {
    const shown = new Set<string>();
    for (const block of blocks("yaml")) {
      const { tree, problems } = readSource(new TextEncoder().encode(block));
      expect(problems).toEqual([]);
      const shownConfig = tree?.value as { adapters?: Partial<Record<AdapterName, JsonObject>> } | undefined;
      const sections = shownConfig?.adapters ?? {};
      const names = ADAPTER_NAMES.filter((name) => Object.hasOwn(sections, name));
      names.forEach((name) => shown.add(name));
      const clock = createSystemClock();
      const setup = { names, sections, env: {}, clock, directory: REPOSITORY, script: EMPTY_SCRIPT, ledger: null };
      await closeAdapters(await openAdapters(setup));
    }
    expect([...shown].sort()).toEqual(["ai-sdk", "claude-agent", "http", "mcp", "openclaw", "process"]);
  });

  it("shows an adapter that works", async () => {
    const [source = ""] = blocks("js");
    const module = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as { adapter: Adapter };
    const report = await checkAdapter(module.adapter, { sample: (word) => ({ message: word }) });
    expect(report.checks.filter(({ ok }) => ok === false)).toEqual([]);
  });

  it("shows an adapter that takes turns", async () => {
    const [, source = ""] = blocks("js");
    const body = source
      .replace('import { outcomeText, runTurn } from "sluice/adapter";', "const { outcomeText, runTurn } = sluice;")
      .replace("export const adapter =", "return");
    const open = compileFunction(body, ["sluice"]) as (sluice: unknown) => Adapter;
    const report = await checkAdapter(open({ outcomeText, runTurn }), { sample: {}, turn: {} });
    expect(report.checks.filter(({ ok }) => ok === false)).toEqual([]);
    const turns = report.checks.filter(({ name }) => name.startsWith("turn"));
    expect(turns.map(({ ok }) => ok)).toEqual([true, true, true, true]);
  });
});
