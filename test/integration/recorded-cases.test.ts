import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../browser/browser.ts";
import { REPOSITORY } from "../law/source.ts";
import { preparedProgram } from "../program/program.ts";
import { Api } from "./support/api.ts";
import { KEY, openGround } from "./support/kills.ts";
import { prepareProgram, type ServerProcess, startServer } from "./support/server-process.ts";

const WORKFLOW = `name: letter
args:
  to: { type: string }
  about: { type: string }
steps:
  - id: draft
    command: Write to \${to} about \${about}.
  - id: check
    command: "Check <\${draft.stdout}>"
outputs: { text: "\${check.stdout}" }
`;

const MODULE = `import { agent, workflow } from "sluice/workflow";

export const note = workflow("note", {}, () => void agent("write", { command: "Write a note." }));
export const other = workflow("other", {}, () => void agent("write", { command: "Write more." }));
`;

describe("a run of a server", () => {
  const ground = openGround();
  const folder = mkdtempSync(join(tmpdir(), "sluice-recorded-"));
  let server: ServerProcess;

  beforeAll(async () => {
    prepareProgram();
    server = await startServer({ ...ground.settings, command: "up", databaseUrl: null });
  }, 300_000);
  afterAll(async () => {
    await server.kill();
    ground.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const test = (...args: readonly string[]) =>
    spawnSync(process.execPath, [preparedProgram(), "test", ...args], { cwd: folder, encoding: "utf8" });

  it("becomes a case, which fails when a variable of a prompt is another, in JUnit's XML too", async () => {
    const api = new Api(KEY, () => [server.url]);
    writeFileSync(join(folder, "letter.lobsterX"), WORKFLOW);
    await api.putWorkflow("letter", WORKFLOW);
    const { id } = await api.startRun("letter", "recorded", { to: "Ada", about: "<tides> & moons" });
    expect((await api.waitUntilEnded(id)).status).toBe("completed");

    const recorded = test("--record", id, "letter.lobsterX", "--url", server.url, "--key", KEY);
    expect([recorded.status, recorded.stderr]).toEqual([0, expect.any(String)]);
    expect(readFileSync(join(folder, "recordings", `${id}.yaml`), "utf8")).toContain("<tides> & moons");
    expect(test().stdout).toContain("1 case, 1 passed");

    writeFileSync(join(folder, "letter.lobsterX"), WORKFLOW.replace("about ${about}", "about ${to}"));
    const { status, stdout } = test("--format", "junit");
    expect(status).toBe(1);
    const read = await readXml(stdout);
    expect(read.suites).toEqual({ name: "sluice", tests: "1", failures: "1", errors: "0" });
    expect(read.failure).toContain("Write to Ada about <tides> & moons.");
    expect(read.failure).toContain("Write to Ada about Ada.");
  });

  it("becomes a case of the module that made it, which fails when the module is changed", async () => {
    const project = join(folder, "project");
    const call = (...args: readonly string[]) =>
      spawnSync(process.execPath, [preparedProgram(), ...args], { cwd: project, encoding: "utf8" });
    mkdirSync(join(project, "workflows"), { recursive: true });
    symlinkSync(join(REPOSITORY, "node_modules"), join(project, "node_modules"));
    const paths = { "sluice/workflow": [join(REPOSITORY, "src/workflow/index.ts")] };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: { paths } }));
    const module = join(project, "workflows", "notes.workflow.ts");
    writeFileSync(module, MODULE);
    const link = ["--url", server.url, "--key", KEY];
    expect(call("apply", "workflows/notes.workflow.ts", ...link).status).toBe(0);
    const api = new Api(KEY, () => [server.url]);
    const { id } = await api.startRun("note", "recorded-note");
    await api.waitUntilEnded(id);

    expect(call("test", "--record", id, ...link).stdout).toBe(
      `workflows/recordings/${id}.yaml\nworkflows/note.cases.yaml\n`,
    );
    expect(call("test").stdout).toContain("1 case, 1 passed");
    writeFileSync(module, MODULE.replace("Write a note.", "Write a poem."));
    const changed = call("test");
    expect([changed.status, changed.stdout]).toEqual([1, expect.stringContaining("Write a poem.")]);
  });
});

/** In a page: there is a parser of XML in every browser. */
const PARSE = `(xml) => {
  const document = new DOMParser().parseFromString(xml, "application/xml");
  const broken = document.querySelector("parsererror");
  if (broken !== null) throw new Error(broken.textContent);
  const names = ["name", "tests", "failures", "errors"];
  const failure = document.querySelector("testsuites > testsuite > testcase > failure");
  return {
    suites: Object.fromEntries(names.map((name) => [name, document.documentElement.getAttribute(name)])),
    failure: failure === null ? "" : failure.textContent,
  };
}`;

async function readXml(text: string): Promise<{ readonly suites: object; readonly failure: string }> {
  const page = await (await openBrowser()).newPage();
  try {
    return await page.evaluate(`(${PARSE})(${JSON.stringify(text)})`);
  } finally {
    await page.close();
  }
}
