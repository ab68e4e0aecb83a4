import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkAdapter, type Adapter, type Sample } from "../src/adapter/index.ts";
import { openAdapters, ADAPTER_NAMES, EMPTY_SCRIPT, closeAdapters, type AdapterName } from "../src/adapters/index.ts";
import { createSystemClock } from "../src/clock/index.ts";
import type { JsonObject } from "../src/core/base/index.ts";
import { readSource } from "../src/core/text/index.ts";
import { REPOSITORY } from "./law/source.ts";

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
});
