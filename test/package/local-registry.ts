import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname, join } from "node:path";
import { REPOSITORY } from "../law/source.ts";

interface Manifest {
  readonly name: string;
  readonly version: string;
}

interface Kept {
  readonly directory: string;
  readonly manifest: Manifest;
}

export interface LocalRegistry {
  readonly url: string;
  close(): Promise<void>;
}

/** A registry of npm on this machine that has exactly the packages a checkout has installed, and nothing else. */
export async function openLocalRegistry(): Promise<LocalRegistry> {
  const packages = installedPackages();
  const server = createServer((request, response) => {
    const [name = "", version] = decodeURIComponent((request.url ?? "/").slice(1)).split("/-/");
    const found = packages.filter(({ manifest }) => manifest.name === name);
    if (found.length === 0) return void response.writeHead(404).end();
    if (version === undefined) return void response.end(JSON.stringify(documentOf(url(), name, found)));
    const kept = found.find(({ manifest }) => `${manifest.version}.tgz` === version);
    return kept === undefined ? void response.writeHead(404).end() : sendTarball(kept.directory, response);
  });
  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: url(), close };
}

function installedPackages(): readonly Kept[] {
  const lock = JSON.parse(readFileSync(join(REPOSITORY, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, object>>;
  };
  return Object.keys(lock.packages).flatMap((path) => {
    if (path === "") return [];
    const directory = join(REPOSITORY, path);
    try {
      return [{ directory, manifest: JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Manifest }];
    } catch {
      // Of another platform.
      return [];
    }
  });
}

function documentOf(url: string, name: string, found: readonly Kept[]): object {
  const versions = found.map(({ manifest }) => [
    manifest.version,
    { ...manifest, scripts: {}, dist: { tarball: `${url}/${name}/-/${manifest.version}.tgz` } },
  ]);
  return { name, "dist-tags": { latest: found[0]?.manifest.version }, versions: Object.fromEntries(versions) };
}

function sendTarball(directory: string, response: ServerResponse): void {
  const nested = `${basename(directory)}/node_modules`;
  const args = ["-cf", "-", "-C", dirname(directory), `--exclude=${nested}`, basename(directory)];
  const tar = spawn("tar", args, { stdio: ["ignore", "pipe", "inherit"] });
  tar.stdout.pipe(response);
}
