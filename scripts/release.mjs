import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

/**
 * `npm run release -- minor`: sets the version, gives the Unreleased section of the changelog its number and date, commits
 * and tags. Nothing is changed unless everything can be; nothing is pushed or published.
 */
const USAGE = "npm run release -- major|minor|patch, or a version such as 0.2.0";
const UNRELEASED = "## Unreleased\n";

class Refusal extends Error {}

try {
  const version = release(process.argv[2] ?? "");
  process.stdout.write(`released ${version}; publish it with: git push --follow-tags && npm publish\n`);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`release: ${error.message}\n`);
  process.exitCode = 2;
}

function release(word) {
  const before = JSON.parse(readFileSync("package.json", "utf8")).version;
  const version = nextVersion(before, word);
  if (git("status", "--porcelain") !== "")
    throw new Refusal("there are changes that are not committed; commit them first");
  if (git("tag", "--list", `v${version}`) !== "") throw new Refusal(`the tag v${version} is there already`);
  const changelog = releasedChangelog(readFileSync("CHANGELOG.md", "utf8"), version);
  run("npm", "version", version, "--no-git-tag-version", "--ignore-scripts");
  writeFileSync("CHANGELOG.md", changelog);
  git("commit", "--quiet", "-m", `Release ${version}`, "package.json", "package-lock.json", "CHANGELOG.md");
  git("tag", "--annotate", `v${version}`, "-m", `Release ${version}`);
  return version;
}

function nextVersion(before, word) {
  const [major, minor, patch] = before.split(".").map(Number);
  if (word === "major") return `${major + 1}.0.0`;
  if (word === "minor") return `${major}.${minor + 1}.0`;
  if (word === "patch") return `${major}.${minor}.${patch + 1}`;
  const named = /^(\d+)\.(\d+)\.(\d+)$/.exec(word);
  if (named === null) throw new Refusal(`"${word}" is no version; ${USAGE}`);
  const [nextMajor, nextMinor, nextPatch] = named.slice(1).map(Number);
  if ((nextMajor - major || nextMinor - minor || nextPatch - patch) <= 0) {
    throw new Refusal(`${word} does not come after ${before}; ${USAGE}`);
  }
  return word;
}

/** An empty Unreleased section is put above what it held. */
function releasedChangelog(text, version) {
  const [before, rest, ...more] = text.split(UNRELEASED);
  if (rest === undefined || more.length > 0) throw new Refusal('CHANGELOG.md needs one section "## Unreleased"');
  const section = rest.split(/^## /m, 1)[0].trim();
  if (section === "") throw new Refusal("the Unreleased section of CHANGELOG.md is empty: there is nothing to release");
  const date = new Date().toISOString().slice(0, 10);
  return `${before}${UNRELEASED}\n## ${version} (${date})\n${rest}`;
}

function git(...args) {
  return run("git", ...args);
}

function run(command, ...args) {
  const result = spawnSync(command, args, { encoding: "utf8", shell: process.platform === "win32" });
  if (result.status !== 0) throw new Refusal(`${command} ${args.join(" ")} failed: ${result.stderr ?? result.error}`);
  return result.stdout.trim();
}
