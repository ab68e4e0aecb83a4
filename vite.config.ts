import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** Set by `npm run dev`, which starts the server beside these pages. */
const API = process.env["SLUICE_URL"] ?? "http://127.0.0.1:7717";

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
  },
  worker: { format: "es" },
  server: {
    host: "127.0.0.1",
    proxy: { "/api": API, "/session": API, "/docs": API, "/openapi.json": API, "/sluice.css": API },
  },
});
