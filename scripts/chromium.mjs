import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const DIRECTORIES = ["/usr/bin", "/usr/local/bin", "/snap/bin"];
const PROGRAMS = [
  "/opt/google/chrome/chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

const INSTALLER = "apt-get";

/** Printed when there is none and none can be installed. */
export const CHROMIUM_MISSING =
  "no Chromium found, which the tests in a real browser need: install it (Debian: apt-get install chromium), " +
  "or name one in SLUICE_CHROMIUM";

/** The path of a Chromium on this machine, or null. */
export function findChromium(env = process.env) {
  const named = env.SLUICE_CHROMIUM ?? "";
  if (named !== "") return isProgram(named) ? named : null;
  const directories = [...DIRECTORIES, ...(env.PATH ?? "").split(delimiter).filter((part) => part !== "")];
  const found = directories.flatMap((directory) => NAMES.map((name) => join(directory, name)));
  return [...found, ...PROGRAMS].find(isProgram) ?? null;
}

/** Installs one where no permission is needed: as root, on Debian. True when there is one afterwards. */
export function installChromium(print, env = process.env) {
  const isAllowed = process.getuid?.() === 0 && existsSync("/etc/debian_version");
  if (!isAllowed || (env.SLUICE_CHROMIUM ?? "") !== "") return false;
  print("installing Chromium, once");
  const quiet = { stdio: "ignore", env: { ...env, DEBIAN_FRONTEND: "noninteractive" } };
  spawnSync(INSTALLER, ["update"], quiet);
  spawnSync(INSTALLER, ["install", "-y", "--no-install-recommends", "chromium"], quiet);
  return findChromium(env) !== null;
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
