import { beforeAll, describe, expect, it } from "vitest";
import { openReadableGround } from "./support/ground.ts";
import { callProgram, prepareProgram, type ServerProcess, startServer } from "./support/server-process.ts";

const MINUTES = 60_000;
const PROCESSES = 3;
const SCRIPT = { default: "echo", nodes: { n1: [{ delay_ms: 1_000, stdout: "done" }] } };
const CHAIN = `name: chain
steps:
${Array.from({ length: 8 }, (_, n) => `  - { id: n${n}, command: Work${n === 0 ? "" : `, depends_on: [n${n - 1}]`} }\n`).join("")}`;

interface Readiness {
  readonly status: string;
  readonly processes: readonly { readonly pid: number; readonly isReady: boolean }[];
}

async function until<T>(look: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const found = await look().catch(() => null);
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe("several processes behind one port", () => {
  beforeAll(() => prepareProgram(), 5 * MINUTES);

  it(
    "take over from one that is killed, start another in its place, answer for all of them, and drain together",
    async () => {
      const ground = await openReadableGround("postgres", SCRIPT);
      const { key } = ground.settings;
      const server = await startServer({
        ...ground.settings,
        processes: PROCESSES,
        env: { SLUICE_START_RATE: "0" },
      });
      try {
        const call = async (method: string, path: string, body?: string, type = "application/json") => {
          // A connection stays with its process: each request has its own.
          const headers = { authorization: `Bearer ${key}`, connection: "close", "content-type": type };
          const response = await fetch(`${server.url}${path}`, {
            method,
            headers,
            ...(body === undefined ? {} : { body }),
          });
          return { status: response.status, text: await response.text() };
        };
        const readiness = async (): Promise<Readiness | null> => {
          const { status, text } = await call("GET", "/readyz");
          const read = JSON.parse(text) as Readiness;
          return status === 200 && read.processes.length === PROCESSES ? read : null;
        };
        const before = await until(readiness);
        expect(new Set(before.processes.map(({ pid }) => pid)).size).toBe(PROCESSES);
        expect((await call("PUT", "/api/v1/workflows/chain", CHAIN, "application/yaml")).status).toBeLessThan(300);
        const runs: string[] = [];
        for (let index = 0; index < 12; index += 1) {
          const { text } = await call("POST", "/api/v1/runs", JSON.stringify({ workflow: "chain" }));
          runs.push((JSON.parse(text) as { id: string }).id);
        }
        const [victim] = before.processes;
        process.kill(victim?.pid ?? 0, "SIGKILL");
        const after = await until(async () => {
          const read = await readiness();
          return read?.processes.some(({ pid }) => pid === victim?.pid) === false ? read : null;
        });
        expect(after.processes).toHaveLength(PROCESSES);
        expect(server.complaints).toContain("another takes its place");
        for (const id of runs) {
          const status = await until(async () => {
            const read = JSON.parse((await call("GET", `/api/v1/runs/${id}`)).text) as { status: string };
            return ["queued", "running"].includes(read.status) ? null : read.status;
          });
          expect(status).toBe("completed");
        }
        const figures = (await call("GET", "/metrics")).text.split("\n");
        const commits = figures.filter((line) => line.startsWith("sluice_commits_total{"));
        expect(new Set(commits.map((line) => /process="(\d+)"/.exec(line)?.[1]))).toEqual(
          new Set(after.processes.map(({ pid }) => String(pid))),
        );
        expect(figures.filter((line) => line === "# TYPE sluice_commits_total counter")).toHaveLength(1);
        expect(figures.filter((line) => line.startsWith("sluice_open_runs"))).toHaveLength(1);
        expect(await server.stop()).toBe(0);
        for (const { pid } of after.processes) expect(() => process.kill(pid, 0)).toThrow();
      } finally {
        await end(server);
        await ground.close();
      }
    },
    10 * MINUTES,
  );

  it("need a database that several processes can use", () => {
    expect(() => callProgram(["serve", "--processes", "2"])).toThrow(
      "--processes needs a Postgres database, --database-url: the embedded one belongs to one process",
    );
    expect(() => callProgram(["serve", "--processes", "0"])).toThrow("--processes must be a number from 1 to 256");
  });
});

async function end(server: ServerProcess): Promise<void> {
  if (server.isAlive) await server.kill();
}
