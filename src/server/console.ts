import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { gzipSync } from "node:zlib";

/** The built console, cached in memory: it is small, and a file changed under a running server would mix two builds. */
export class ConsoleFiles {
  readonly #files = new Map<string, ConsoleFile>();
  readonly #index: ConsoleFile;

  private constructor(directory: string, index: string, policy: string) {
    for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
      if (!entry.isFile()) continue;
      const file = join(entry.parentPath, entry.name);
      const path = `/${relative(directory, file).split(sep).join("/")}`;
      const isHashed = path.startsWith("/assets/");
      this.#files.set(path, fileOf(path, readFileSync(file), { policy, caching: isHashed ? IMMUTABLE : "no-cache" }));
    }
    this.#files.delete("/index.html");
    this.#index = fileOf("/index.html", readFileSync(index), { policy, caching: "no-store" });
  }

  /** Returns null where no console was built. `connect` lists the origins its pages may call besides the server. */
  static open(directory: string, connect: readonly string[] = []): ConsoleFiles | null {
    const index = join(directory, "index.html");
    return existsSync(index) ? new ConsoleFiles(directory, index, policyFor(connect)) : null;
  }

  /** Returns the file at a path, or the index page when the path may be an address of the console; null for anything else. */
  answer(request: Request): Response | null {
    if (request.method !== "GET" && request.method !== "HEAD") return null;
    const { pathname } = new URL(request.url);
    const file = this.#files.get(pathname) ?? (isPageAddress(pathname, request) ? this.#index : null);
    return file === null ? null : respond(file, request);
  }
}

interface ConsoleFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Compressed on first use: start-up must not wait for pages that are not open yet. */
  zipped: Uint8Array<ArrayBuffer> | null;
  readonly headers: Readonly<Record<string, string>>;
}

const IMMUTABLE = "public, max-age=31536000, immutable";
const ZIPPED_BYTES_MIN = 1_024;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** Content security policy: allows only files of this server, and no inline code. */
function policyFor(connect: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["connect-src 'self'", ...connect].join(" "),
    "img-src 'self' data:",
    "font-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

interface Served {
  readonly policy: string;
  readonly caching: string;
}

function fileOf(path: string, bytes: Uint8Array<ArrayBuffer>, { policy, caching }: Served): ConsoleFile {
  return {
    bytes,
    zipped: null,
    headers: {
      "content-type": TYPES[extname(path)] ?? "application/octet-stream",
      "content-security-policy": policy,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cache-control": caching,
      vary: "accept-encoding",
    },
  };
}

function respond(file: ConsoleFile, request: Request): Response {
  const { bytes, headers } = file;
  const takesZipped = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  const isZipped = takesZipped && bytes.byteLength >= ZIPPED_BYTES_MIN;
  const body = isZipped ? (file.zipped ??= new Uint8Array(gzipSync(bytes))) : bytes;
  return new Response(request.method === "HEAD" ? null : body, {
    headers: {
      ...headers,
      "content-length": String(body.byteLength),
      ...(isZipped ? { "content-encoding": "gzip" } : {}),
    },
  });
}

/** Paths used by programs. A missing resource there is reported as a problem, not as a page. */
const NO_PAGES =
  /^\/(?:api|assets|auth|execute|hooks|invite|mcp|session|docs|openapi\.json|healthz|readyz|metrics)(?:\/|$)/;

function isPageAddress(pathname: string, request: Request): boolean {
  const accepted = request.headers.get("accept") ?? "*/*";
  return !NO_PAGES.test(pathname) && /text\/html|\*\/\*/.test(accepted);
}
