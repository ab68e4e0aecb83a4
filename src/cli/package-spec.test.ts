import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageSpec } from "./package-spec.ts";
import { readVersion } from "./version.ts";

describe("a project that `sluice init` writes", () => {
  let root = "";
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "sluice-spec-"));
    mkdirSync(join(root, "node_modules", "sluice"), { recursive: true });
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const installedBy = (manifest: string): string => {
    writeFileSync(join(root, "package.json"), manifest);
    return packageSpec(join(root, "my-flows"), join(root, "node_modules", "sluice"));
  };
  const fromRegistry = `^${readVersion()}`;

  it.each([
    ['{"dependencies":{"sluice":"file:../sluice-0.1.0.tgz"}}', "file:../../sluice-0.1.0.tgz"],
    ['{"devDependencies":{"sluice":"file:packs/sluice.tgz"}}', "file:../packs/sluice.tgz"],
    ['{"dependencies":{"sluice":"https://example.com/sluice.tgz"}}', "https://example.com/sluice.tgz"],
    ['{"dependencies":{"sluice":"~0.1.0"}}', fromRegistry],
    ["{}", fromRegistry],
    ["no JSON", fromRegistry],
  ])("takes the package from where %s has it", (manifest, expected) => {
    expect(installedBy(manifest)).toBe(expected);
  });

  it("takes it from the checkout when the program runs from one", () => {
    expect(packageSpec(join(root, "a", "b"), join(root, "checkout"))).toBe("file:../../checkout");
  });
});
