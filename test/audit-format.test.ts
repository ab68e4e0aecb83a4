import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AuditTrail, createSigner } from "../src/audit/index.ts";
import { auditEntry } from "../src/core/audit/index.ts";
import { createMemoryStore } from "../src/store/index.ts";
import { REPOSITORY } from "./law/source.ts";

const SEED = "0f".repeat(32);
const DAY_MS = 86_400_000;

/** A log with segments that are gone, thinned, whole and open. */
async function exported(): Promise<string> {
  let now = 1_700_000_000_000;
  const store = createMemoryStore({ now: () => now });
  const desk = new AuditTrail({ store, now: () => now, seed: SEED });
  const record = async (count: number, held: (index: number) => boolean): Promise<void> => {
    const entries = Array.from({ length: count }, (_, index) =>
      auditEntry({
        at: now + index,
        type: held(index) ? "gate.held" : "node.completed",
        actor: "ann",
        resource: `node/n${index}`,
        run: "run_1",
        node: `n${index}`,
        detail: { é: 'x "y" \u{1F600} \u0001', "10": 1e21, "9": -0.5, nested: [{ b: index, a: null }] },
      }),
    );
    await store.appendAudit("org_1", entries);
    await desk.catchUp("org_1");
  };
  const close = async (): Promise<void> => {
    now += 61_000;
    await desk.catchUp("org_1");
  };
  await record(5, () => false);
  await close();
  await record(11, (index) => index % 3 === 1);
  await close();
  now += 400 * DAY_MS;
  await desk.prune("org_1");
  await record(13, () => false);
  await close();
  await record(3, () => true);
  let text = "";
  for await (const piece of desk.export("org_1")) text += piece;
  return text;
}

describe("the verifier in docs/audit-format.md", () => {
  let directory: string;
  let good: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "sluice-format-"));
    const page = readFileSync(join(REPOSITORY, "docs", "audit-format.md"), "utf8");
    const [, program = ""] = /```js\n([\s\S]*?)```/.exec(page) ?? [];
    writeFileSync(join(directory, "verify.mjs"), program);
    good = await exported();
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  const run = (text: string, key = createSigner(SEED).key): string => {
    writeFileSync(join(directory, "audit.ndjson"), text);
    try {
      const given = [join(directory, "verify.mjs"), join(directory, "audit.ndjson"), key];
      return execFileSync(process.execPath, given, { encoding: "utf8", stdio: "pipe" });
    } catch (error) {
      return String((error as { readonly stderr: unknown }).stderr);
    }
  };

  it("believes what Sluice exports", () => {
    for (const kind of ["header", "pruned", "thinned", "checkpoint", "head"]) {
      expect(good).toContain(`"kind":"${kind}"`);
    }
    expect(run(good)).toBe("20 records of org_1, up to 32\n");
  });

  it("does not believe anything else", () => {
    const lines = good.split("\n");
    const at = lines.findIndex((line) => line.startsWith('{"actor"'));
    const record = lines[at] ?? "";
    const changed: readonly (readonly [string, string])[] = [
      ["another key", run(good, createSigner("0e".repeat(32)).key)],
      ["an edit", run(lines.with(at, record.replace('"ann"', '"eve"')).join("\n"))],
      ["a deletion", run(lines.toSpliced(at, 1).join("\n"))],
      [
        "a swap",
        run(
          lines
            .with(at, lines[at + 1] ?? "")
            .with(at + 1, record)
            .join("\n"),
        ),
      ],
      ["a copy", run(lines.toSpliced(at, 0, record).join("\n"))],
      ["a space", run(lines.with(at, record.replace(":", ": ")).join("\n"))],
      ["a cut tail", run(lines.slice(0, -4).join("\n"))],
      ["a cut tail with its head", run([...lines.slice(0, -4), ...lines.slice(-2)].join("\n"))],
      ["no last line feed", run(good.slice(0, -1))],
      ["more after the head", run(`${good}${record}\n`)],
    ];
    for (const [what, said] of changed)
      expect([what, said]).toEqual([what, expect.stringMatching(/^(line \d+:|the file)/)]);
  });
});
