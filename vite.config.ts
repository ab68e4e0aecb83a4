import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** Set by `npm run dev`, which starts the server beside these pages. */
const API = process.env["SLUICE_URL"] ?? "http://127.0.0.1:7717";

/**
 * Modules of these rooms do nothing when they are loaded: `core` is pure by law, the others only define. A module none
 * of whose exports is used is left out, and with it what it imports, such as zod behind the list of event types.
 */
const TREESHAKE = { moduleSideEffects: [{ test: /\/src\/(?:core|client|browser)\//, sideEffects: false }] };

/** The console: how it is built, and how `npm run dev` serves it from the sources. */
export default defineConfig({
  root: here("src/console"),
  build: {
    outDir: here("dist/console"),
    emptyOutDir: true,
    target: "es2023",
    // The server's policy allows no inline script and no data: font; everything is a file with a hash in its name.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    rolldownOptions: { treeshake: TREESHAKE, checks: { moduleLevelDirective: false } },
  },
  worker: { format: "es", rolldownOptions: { treeshake: TREESHAKE } },
  server: {
    host: "127.0.0.1",
    proxy: {
      "/api": API,
      "/session": API,
      "/auth": API,
      "/invite": API,
      "/docs": API,
      "/openapi.json": API,
      "/sluice.css": API,
    },
  },
});
