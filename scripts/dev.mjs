import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT, installIfStale } from "./checkout.mjs";
import { DevServer } from "./dev-server.mjs";

/**
 * `npm run dev`: the server and the console, both from the sources, both reloaded after a saved file. Arguments are those
 * of `sluice up`; SLUICE_DEV_PORT is the port of the console (default: 5173). Types are not checked here.
 */
const SIGN_IN = "/session/dev";
/** npm and the terminal may both deliver the same Ctrl-C. */
const SAME_SIGNAL_MS = 500;

try {
  await installIfStale();
} catch (error) {
  process.stderr.write(`sluice: ${error.message}\n`);
  process.exit(2);
}
const vite = await import("vite");

const argv = process.argv.slice(2);
const at = argv.indexOf("--data");
const data = at === -1 ? (process.env.SLUICE_DATA ?? ".sluice") : (argv[at + 1] ?? "");
const token = randomBytes(16).toString("base64url");
const server = new DevServer(argv);
let stopAskedAt = null;
let watcher = null;
let pages = null;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => void stop());

// A first build that fails leaves the watcher running: the next saved file starts the server.
watcher = await watchSources();
const url = await server.firstUrl;
process.env.SLUICE_URL = url;
pages = await servePages();
const [consoleUrl = ""] = pages.resolvedUrls?.local ?? [];
process.stdout.write(
  [
    "",
    `  API      ${url}`,
    `  Console  ${new URL(`${SIGN_IN}?token=${token}`, consoleUrl).href}`,
    "",
    "  A saved file reloads what it concerns. Ctrl-C stops both.",
    "",
    "",
  ].join("\n"),
);

/** Bundles the program after each change; one file loads in half the time of nine hundred. */
async function watchSources() {
  const started = await vite.build({
    configFile: false,
    root: CHECKOUT,
    mode: "development",
    logLevel: "silent",
    publicDir: false,
    build: {
      ssr: true,
      // Two folders below the checkout, like the sources: they find package.json and the console by their own place.
      outDir: join(CHECKOUT, "dist", ".dev"),
      emptyOutDir: false,
      minify: false,
      sourcemap: true,
      watch: {},
      rollupOptions: {
        input: ["src/cli/main.ts", "src/cli/up.ts"],
        output: { entryFileNames: "[name].js", chunkFileNames: "[name].js" },
      },
    },
  });
  started.on("event", (event) => {
    if (event.code === "END") void server.reload();
    if (event.code === "ERROR") process.stderr.write(`sluice: not reloaded: ${event.error.message}\n`);
    void event.result?.close();
  });
  return started;
}

async function servePages() {
  const created = await vite.createServer({
    configFile: join(CHECKOUT, "vite.config.ts"),
    logLevel: "warn",
    server: { port: Number(process.env.SLUICE_DEV_PORT ?? 5173) },
    plugins: [
      {
        name: "sluice-dev",
        configureServer({ middlewares }) {
          // While the server reloads, requests to it wait instead of failing.
          middlewares.use((request, response, next) => {
            server
              .isUp()
              .then(() => (isSignIn(request) ? signIn(response) : next()))
              .catch(next);
          });
        },
      },
    ],
  });
  return created.listen();
}

function isSignIn({ url: address = "" }) {
  const { pathname, searchParams } = new URL(address, url);
  return pathname === SIGN_IN && searchParams.get("token") === token;
}

/** Gives the browser a session, as the sign-in form of the server does. */
async function signIn(response) {
  const body = new URLSearchParams({ key: readFileSync(join(data, "key"), "utf8").trim() });
  const answer = await fetch(`${url}/session`, {
    method: "POST",
    headers: { origin: url, accept: "application/json" },
    body,
  });
  response.writeHead(303, { location: "/", "set-cookie": answer.headers.getSetCookie() }).end();
}

async function stop() {
  const isFirst = stopAskedAt === null;
  if (!isFirst && Date.now() - stopAskedAt < SAME_SIGNAL_MS) return;
  stopAskedAt = Date.now();
  // A second Ctrl-C is a second signal to the server, which then ends at once.
  const stopped = server.stop();
  if (!isFirst) return;
  await Promise.all([stopped, watcher?.close(), pages?.close()]);
  process.exit(0);
}
