import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Api } from "./integration/support/api.ts";
import { KEY, openGround } from "./integration/support/kills.ts";
import { prepareProgram, type ServerProcess, startServer } from "./integration/support/server-process.ts";
import { REPOSITORY } from "./law/source.ts";

const FOLDER = join(REPOSITORY, "examples", "functions");
const SOURCE = pathToFileURL(join(REPOSITORY, "src", "worker", "index.ts")).href;
const page = readFileSync(join(REPOSITORY, "docs", "workers.md"), "utf8");

function blockOf(language: string): string {
  return new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(page)?.[1] ?? "";
}

describe("functions as they are shown", () => {
  const ground = openGround();
  // Beside the packages, so that it finds zod.
  const folder = mkdtempSync(join(REPOSITORY, "test", ".worker-"));
  let server: ServerProcess;
  let api: Api;

  beforeAll(async () => {
    prepareProgram();
    server = await startServer({ ...ground.settings, command: "up", databaseUrl: null });
    api = new Api(KEY, () => [server.url]);
    await api.put("/agents/default", { autonomy: "bounded", trust_level: 5 });
  }, 300_000);
  afterAll(async () => {
    await server.kill();
    ground.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  async function outputsWith(worker: string, workflow: string, args: Record<string, number>): Promise<unknown> {
    const file = join(folder, "worker.mts");
    const text = worker.replace('"sluice/worker"', JSON.stringify(SOURCE)).replace("http://127.0.0.1:7717", server.url);
    writeFileSync(file, text);
    const env = { ...process.env, SLUICE_URL: server.url, SLUICE_KEY: KEY };
    const child = spawn(process.execPath, ["--import", "tsx", file], { cwd: REPOSITORY, env, stdio: "inherit" });
    try {
      const name = /^name: (.+)$/m.exec(workflow)?.[1] ?? "";
      await api.putWorkflow(name, workflow);
      const { id } = await api.startRun(name, name, args);
      const { status, outputs } = await api.waitUntilEnded(id);
      expect(status).toBe("completed");
      return outputs;
    } finally {
      child.kill("SIGKILL");
    }
  }

  it("run in examples/functions", async () => {
    const [worker, workflow] = ["worker.ts", "order.lobsterX"].map((name) => readFileSync(join(FOLDER, name), "utf8"));
    expect(await outputsWith(worker ?? "", workflow ?? "", {})).toMatchObject({
      receipt: expect.stringMatching(/^ch_450_/),
    });
  });

  it("run in docs/workers.md", async () => {
    expect(await outputsWith(blockOf("ts"), blockOf("yaml"), { cents: 300 })).toMatchObject({
      note: { text: "charged ch_300" },
    });
  });
});
