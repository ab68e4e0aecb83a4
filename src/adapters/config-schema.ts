import { z } from "zod";
import type { AdapterName } from "./open-adapters.ts";

/** Returns the schema of an adapter's section. Loads only the schema, not the adapter. */
export async function configSchemaOf(name: AdapterName): Promise<z.ZodType> {
  switch (name) {
    case "scripted":
      return z.strictObject({});
    case "ai-sdk":
      return (await import("./ai-sdk/config.ts")).configSchema;
    case "http":
      return (await import("./http/config.ts")).configSchema;
    case "process":
      return (await import("./process/config.ts")).configSchema;
    case "mcp":
      return (await import("./mcp/config.ts")).configSchema;
    case "claude-agent":
      return (await import("./claude-agent/config.ts")).configSchema;
    case "openclaw":
      return (await import("./openclaw/config.ts")).configSchema;
  }
}
