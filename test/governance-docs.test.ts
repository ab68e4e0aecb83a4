import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  DISPATCH_GATES,
  LAUNCH_GATES,
  LAUNCH_STATUSES,
  ROUND_GATES,
  TOOL_GATES,
} from "../src/core/governance/index.ts";
import { createApi } from "./api/fixture.ts";
import { REPOSITORY } from "./law/source.ts";

const PAGE = readFileSync(join(REPOSITORY, "docs", "governance.md"), "utf8");

describe("docs/governance.md", () => {
  it("names the gates, in their order", () => {
    const rows = [...PAGE.matchAll(/^\| `(\w+)` \| .* \| (?:fails|queues|is held)/gm)].map(([, name]) => name);
    expect(rows).toEqual(DISPATCH_GATES.map(({ name }) => name));
    const places = LAUNCH_GATES.map(({ name }) => PAGE.indexOf(`\`${name}\``, PAGE.indexOf("## Before a run")));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual([...places].sort((left, right) => left - right));
    for (const [code, status] of Object.entries(LAUNCH_STATUSES)) expect(PAGE).toContain(`${status} \`${code}\``);
  });

  it("shows manifests that are taken", async () => {
    const blocks = [...PAGE.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block]) => block);
    expect(blocks.length).toBeGreaterThan(2);
    const api = await createApi();
    const headers = { "content-type": "application/yaml" };
    const applied = await api.request("POST", "apply", { body: blocks.join("\n---\n"), headers });
    await api.close();
    expect(applied.status, JSON.stringify(applied.body)).toBe(200);
    expect(applied.body.applied).toHaveLength(5);
  });
});

describe("docs/tools.md", () => {
  const page = readFileSync(join(REPOSITORY, "docs", "tools.md"), "utf8");

  it("names the gates of a call, in their order, and those of a round", () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| .* \| (?:denies|holds)/gm)].map(([, name]) => name);
    expect(rows).toEqual(TOOL_GATES.map(({ name }) => name));
    for (const { name } of ROUND_GATES) expect(page).toContain(`\`${name}\``);
  });

  it("shows manifests that are taken", async () => {
    const blocks = [...page.matchAll(/```yaml\n(kind:[\s\S]*?)```/g)].map(([, block]) => block);
    const api = await createApi();
    const headers = { "content-type": "application/yaml" };
    const applied = await api.request("POST", "apply", { body: blocks.join("\n---\n"), headers });
    await api.close();
    expect(applied.status, JSON.stringify(applied.body)).toBe(200);
    expect(applied.body.applied.map(({ kind }: { kind: string }) => kind)).toEqual(["Tool", "Tool", "Policy", "Grant"]);
  });
});
