import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { REPOSITORY } from "../law/source.ts";

const CHANGES =
  "# Changelog\n\nNotable changes.\n\n## Unreleased\n\n### Added\n- A door.\n\n## 0.0.9 (2026-01-01)\n\n- A wall.\n";

describe("npm run release", () => {
  let clone = "";

  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), "sluice-release-"));
    for (const path of ["package.json", "package-lock.json", ".npmrc", "scripts/release.mjs"]) {
      cpSync(join(REPOSITORY, path), join(clone, path));
    }
    writeFileSync(join(clone, "CHANGELOG.md"), CHANGES);
    setVersion("0.1.2");
    git("init", "--quiet");
    git("config", "user.email", "release@example.com");
    git("config", "user.name", "Release");
    git("add", ".");
    git("commit", "--quiet", "-m", "before");
  });

  afterEach(() => rmSync(clone, { recursive: true, force: true }));

  const read = (path: string): string => readFileSync(join(clone, path), "utf8");

  function setVersion(version: string): void {
    const own = JSON.parse(read("package.json")) as object;
    writeFileSync(join(clone, "package.json"), `${JSON.stringify({ ...own, version }, null, 2)}\n`);
  }

  function git(...args: readonly string[]): string {
    const result = spawnSync("git", args, { cwd: clone, encoding: "utf8" });
    if (result.status !== 0) throw new Error(result.stderr);
    return result.stdout.trim();
  }

  function release(...words: readonly string[]) {
    const args = ["run", "--silent", "release", "--", ...words];
    return spawnSync("npm", args, { cwd: clone, encoding: "utf8" });
  }

  it("sets the version, moves the section of the changelog, commits and tags", () => {
    const { stdout, status } = release("minor");
    expect(stdout).toContain("released 0.2.0");
    expect(status).toBe(0);
    expect(JSON.parse(read("package.json"))).toMatchObject({ name: "sluice", version: "0.2.0" });
    expect(JSON.parse(read("package-lock.json"))).toMatchObject({
      version: "0.2.0",
      packages: { "": { version: "0.2.0" } },
    });
    expect(read("CHANGELOG.md").replace(/\d{4}-\d\d-\d\d/, "DATE")).toBe(
      CHANGES.replace("## Unreleased\n", "## Unreleased\n\n## 0.2.0 (DATE)\n"),
    );
    expect(git("status", "--porcelain")).toBe("");
    expect(git("log", "-1", "--format=%s")).toBe("Release 0.2.0");
    expect(git("describe")).toBe("v0.2.0");
    // Nothing was written since.
    expect(release("patch").stderr).toContain("there is nothing to release");
  });

  it.each([
    [[], '"" is no version; npm run release -- major|minor|patch'],
    [["large"], '"large" is no version'],
    [["0.1.2"], "0.1.2 does not come after 0.1.2"],
    [["0.0.9"], "0.0.9 does not come after 0.1.2"],
  ])("refuses %j and changes nothing", (words, reason) => {
    const { stderr, status } = release(...words);
    expect(stderr).toContain(reason);
    expect(status).not.toBe(0);
    expect(git("status", "--porcelain")).toBe("");
    expect(git("tag")).toBe("");
  });

  it("refuses with changes that are not committed, and a version that is tagged", () => {
    git("tag", "v1.0.0");
    expect(release("major").stderr).toContain("the tag v1.0.0 is there already");
    writeFileSync(join(clone, "CHANGELOG.md"), `${CHANGES}\n`);
    expect(release("minor").stderr).toContain("there are changes that are not committed");
    expect(read("package.json")).toContain('"0.1.2"');
  });
});
