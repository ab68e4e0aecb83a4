import { createServer, request as forward, type Server } from "node:http";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { REPOSITORY } from "../law/source.ts";

export interface PageServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Bundles what a page needs as an ordinary bundler would, and serves it with a page that loads it. */
export async function servePage(): Promise<PageServer> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-page-"));
  await build({
    configFile: false,
    root: REPOSITORY,
    logLevel: "silent",
    build: {
      outDir: folder,
      emptyOutDir: true,
      lib: {
        entry: { browser: fileURLToPath(new URL("../../src/browser/index.ts", import.meta.url)) },
        formats: ["es"],
        fileName: (_, name) => `${name}.js`,
      },
    },
  });
  const server = createServer((request, response) => {
    const path = join(folder, (request.url ?? "/").split("?", 1)[0]?.slice(1) ?? "");
    if (request.url === "/") {
      // Strict, but for the address of the provider: the core makes no code from text.
      const policy = "default-src 'none'; script-src 'self'; connect-src http://127.0.0.1:*";
      response
        .writeHead(200, { "content-type": "text/html", "content-security-policy": policy })
        .end("<!doctype html>");
    } else if (path.endsWith(".js") && existsSync(path)) {
      response.writeHead(200, { "content-type": "text/javascript" }).end(readFileSync(path));
    } else response.writeHead(404).end();
  });
  const url = await listen(server);
  return {
    url,
    close: async () => {
      await close(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A provider as a page may call it: the same answers, with leave for pages of other origins. */
export async function allowPages(baseUrl: string): Promise<PageServer> {
  const leave = {
    "access-control-allow-origin": "*",
    "access-control-allow-headers": "authorization, content-type",
    "access-control-expose-headers": "retry-after, retry-after-ms",
  };
  const target = new URL(baseUrl);
  const server = createServer((request, response) => {
    if (request.method === "OPTIONS") {
      response.writeHead(204, leave).end();
      return;
    }
    const { method, headers, url: path } = request;
    const call = forward({ host: target.hostname, port: target.port, method, headers, path }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...leave });
      answer.on("error", () => response.destroy());
      answer.pipe(response);
    });
    call.on("error", () => response.destroy());
    response.on("close", () => call.destroy());
    request.pipe(call);
  });
  const url = await listen(server);
  return { url: `${url}${target.pathname}`, close: () => close(server) };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
