/** Which room may import which, and which packages each may use. ARCHITECTURE.md shows the same table. */
export interface RoomLaw {
  readonly rooms: readonly string[];
  readonly packages: readonly string[];
  /** May it use modules of Node itself? */
  readonly isNode: boolean;
}

const pure = (rooms: readonly string[], packages: readonly string[] = []): RoomLaw => ({
  rooms: rooms.map((room) => `core/${room}`),
  packages,
  isNode: false,
});

export const ROOMS: Readonly<Record<string, RoomLaw>> = {
  "core/base": pure([], ["@noble/hashes"]),
  "core/edit": pure(["base", "expression", "template"], ["yaml"]),
  "core/text": pure(["base"], ["yaml", "re2js"]),
  "core/expression": pure(["base", "text"]),
  "core/template": pure(["base", "expression"]),
  "core/graph": pure(["base"]),
  "core/graph/layout": pure(["base", "graph"]),
  "core/definition": pure(["base", "text", "expression", "template", "graph", "redaction", "event"]),
  "core/outputs": pure(["base", "text", "expression", "template", "definition", "event"]),
  "core/plan": pure(["base", "expression", "template", "graph", "definition"]),
  "core/event": pure(["base"], ["zod"]),
  "core/engine": pure([
    "base",
    "text",
    "expression",
    "template",
    "outputs",
    "definition",
    "plan",
    "event",
    "redaction",
  ]),
  "core/script": pure(["base", "text", "expression", "definition", "event"], ["zod"]),
  "core/cases": pure(
    ["base", "text", "expression", "definition", "event", "plan", "script", "redaction", "view"],
    ["zod"],
  ),
  "core/view": pure(["base", "event", "engine", "plan"]),
  "core/redaction": pure(["base"]),
  "core/governance": pure(["base", "expression", "definition", "plan"]),
  "core/audit": pure(["base", "event"], ["@noble/hashes"]),
  "core/moderation": pure(["base", "text", "redaction"]),
  "core/provenance": pure(["base", "event"]),
  "core/trace": pure(["base", "event"]),
  "core/search": pure(["base", "event", "redaction"]),
  clock: { rooms: [], packages: [], isNode: true },
  adapter: { rooms: ["core"], packages: ["zod"], isNode: true },
  script: {
    rooms: ["core", "clock", "adapter"],
    packages: ["quickjs-emscripten-core", "@jitl/quickjs-wasmfile-release-sync"],
    isNode: true,
  },
  prices: { rooms: ["core"], packages: ["@pydantic/genai-prices"], isNode: true },
  outbound: { rooms: ["core"], packages: ["undici"], isNode: true },
  adapters: {
    rooms: ["core", "clock", "adapter", "prices", "outbound"],
    packages: [
      "ai",
      "@ai-sdk/openai",
      "@ai-sdk/anthropic",
      "@ai-sdk/google",
      "@ai-sdk/openai-compatible",
      "@modelcontextprotocol/client",
      "zod",
    ],
    isNode: true,
  },
  bridge: {
    rooms: ["core", "clock", "adapter", "outbound"],
    packages: ["hono", "@hono/node-server", "zod"],
    isNode: true,
  },
  store: { rooms: ["core"], packages: [], isNode: true },
  seal: { rooms: [], packages: [], isNode: true },
  secrets: {
    rooms: ["core", "adapter", "outbound", "seal", "store", "registry"],
    packages: [],
    isNode: true,
  },
  registry: { rooms: ["core", "seal", "store"], packages: ["zod"], isNode: true },
  governance: { rooms: ["core", "clock", "prices", "registry", "gateway", "store"], packages: [], isNode: true },
  audit: { rooms: ["core", "clock", "store"], packages: [], isNode: true },
  "store/postgres": { rooms: ["core", "store"], packages: ["pg"], isNode: true },
  "store/embedded": { rooms: ["core", "store"], packages: ["@electric-sql/pglite"], isNode: true },
  files: { rooms: ["core", "store", "outbound"], packages: ["aws4fetch"], isNode: true },
  gateway: { rooms: ["core", "clock", "bridge", "outbound", "seal", "store"], packages: [], isNode: true },
  driver: {
    rooms: ["core", "clock", "adapter", "outbound", "bridge", "gateway", "governance", "driver/moderation", "store"],
    packages: [],
    isNode: true,
  },
  simulation: {
    rooms: [
      "core",
      "clock",
      "adapter",
      "adapters",
      "script",
      "registry",
      "governance",
      "gateway",
      "driver",
      "launch",
      "store",
    ],
    packages: [],
    isNode: true,
  },
  cases: { rooms: ["core", "simulation"], packages: [], isNode: true },
  "driver/moderation": { rooms: ["core", "clock", "adapter"], packages: [], isNode: true },
  launch: {
    rooms: ["core", "clock", "registry", "governance", "gateway", "driver", "store"],
    packages: [],
    isNode: true,
  },
  "outside/trigger": {
    rooms: ["core", "registry", "seal", "store", "launch", "outside/webhook"],
    packages: [],
    isNode: true,
  },
  "outside/schedule": {
    rooms: ["core", "clock", "registry", "store", "launch", "outside/trigger"],
    packages: ["croner"],
    isNode: true,
  },
  "outside/delivery": { rooms: ["core", "clock", "registry", "outbound", "store"], packages: [], isNode: true },
  "outside/webhook": {
    rooms: ["core", "clock", "registry", "secrets", "outbound", "store", "outside/delivery"],
    packages: [],
    isNode: true,
  },
  "outside/channel": {
    rooms: ["core", "clock", "registry", "secrets", "outbound", "store", "outside/delivery", "outside/webhook"],
    packages: ["nodemailer"],
    isNode: true,
  },
  "outside/alert": { rooms: ["core", "clock", "registry", "store", "outside/delivery"], packages: [], isNode: true },
  "outside/telemetry": { rooms: ["core", "clock", "outbound", "driver", "store"], packages: [], isNode: true },
  oidc: { rooms: ["core", "outbound"], packages: ["jose", "openid-client"], isNode: true },
  contract: { rooms: ["core"], packages: ["zod"], isNode: false },
  workflow: { rooms: ["core"], packages: ["zod"], isNode: false },
  client: { rooms: ["core", "contract"], packages: [], isNode: false },
  work: { rooms: ["core", "clock", "store"], packages: [], isNode: true },
  worker: { rooms: ["core", "contract"], packages: ["undici"], isNode: true },
  testing: { rooms: ["core", "adapter"], packages: [], isNode: true },
  mcp: { rooms: ["core", "client"], packages: ["@modelcontextprotocol/server", "zod"], isNode: true },
  browser: { rooms: ["core"], packages: [], isNode: false },
  console: {
    rooms: ["core", "client", "browser"],
    packages: [
      "react",
      "react-dom",
      "@xyflow/react",
      "@base-ui/react",
      "@fontsource-variable/inter",
      "@codemirror/autocomplete",
      "@codemirror/commands",
      "@codemirror/lang-yaml",
      "@codemirror/language",
      "@codemirror/lint",
      "@codemirror/search",
      "@codemirror/state",
      "@codemirror/view",
    ],
    isNode: false,
  },
  history: {
    rooms: ["core", "clock", "registry", "audit", "files", "store"],
    packages: [],
    isNode: true,
  },
  server: {
    rooms: [
      "core",
      "contract",
      "bridge",
      "gateway",
      "registry",
      "seal",
      "secrets",
      "governance",
      "audit",
      "store",
      "driver",
      "simulation",
      "launch",
      "outside/delivery",
      "outside/webhook",
      "outside/trigger",
      "outside/channel",
      "oidc",
      "outbound",
      "files",
      "history",
      "client",
      "mcp",
      "work",
    ],
    packages: ["hono", "@hono/node-server", "zod"],
    isNode: true,
  },
  cells: {
    rooms: ["core", "clock", "bridge", "gateway", "outside/channel", "server", "store"],
    packages: [],
    isNode: true,
  },
  cli: {
    rooms: [
      "cells",
      "core",
      "clock",
      "adapter",
      "adapters",
      "script",
      "outbound",
      "registry",
      "secrets",
      "governance",
      "audit",
      "bridge",
      "gateway",
      "driver",
      "simulation",
      "cases",
      "driver/moderation",
      "store",
      "store/postgres",
      "store/embedded",
      "server",
      "client",
      "launch",
      "outside/schedule",
      "outside/trigger",
      "outside/delivery",
      "outside/webhook",
      "outside/channel",
      "outside/alert",
      "outside/telemetry",
      "oidc",
      "mcp",
      "files",
      "work",
      "history",
    ],
    packages: ["commander", "pino", "zod"],
    isNode: true,
  },
};

/** The room of a file under `src`, or null when it lies in none. */
export function roomOf(path: string): string | null {
  const [top, ...folders] = path.split("/").slice(0, -1);
  if (top !== "src" || folders.length === 0) return null;
  // A room may lie inside another one: the innermost counts.
  for (let depth = folders.length; depth > 0; depth -= 1) {
    const room = folders.slice(0, depth).join("/");
    if (Object.hasOwn(ROOMS, room)) return room;
  }
  return folders[0] === "core" && folders.length === 1
    ? null
    : folders.slice(0, folders[0] === "core" ? 2 : 1).join("/");
}

/** May `from` import `to`? `core` stands for every room inside it. */
export function mayImport(from: string, to: string): boolean {
  if (from === to) return true;
  return (ROOMS[from]?.rooms ?? []).some((room) => room === to || (room === "core" && to.startsWith("core/")));
}

/** The table of ARCHITECTURE.md as `room → rooms it may import`, for comparison with the one above. */
export function roomsInArchitecture(text: string): Map<string, string[]> {
  const table = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const cells = line.split("|").map((cell) => cell.trim());
    const names = [...(cells[1] ?? "").matchAll(/`([a-z/]+)`/g)].map((match) => match[1] ?? "");
    if (cells.length !== 5 || names.length === 0) continue;
    const imports = (cells[3] ?? "").split(",").map((word) => word.replaceAll(/\(.*\)/g, "").trim());
    for (const name of names) {
      const prefix = name.startsWith("core/") ? "core/" : "";
      table.set(name, imports[0] === "nothing" ? [] : imports.map((word) => prefix + word));
    }
  }
  return table;
}
