import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core";
import { CHROMIUM_MISSING, findChromium } from "../../scripts/chromium.mjs";

/** A slow machine is no failure. */
const PATIENCE_MS = 60_000;

let launched: Browser | null = null;

/** One Chromium for all files of a process, since starting it takes seconds; it ends with the process. */
export async function openBrowser(): Promise<Browser> {
  if (launched?.isConnected() === true) return launched;
  const executablePath = findChromium();
  if (executablePath === null) throw new Error(CHROMIUM_MISSING);
  // Its own sandbox needs rights that containers do not give; it opens nothing but our page.
  launched = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  return launched;
}

/** A browser of its own for one person. Whoever opens it closes it. */
export async function openContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await (await openBrowser()).newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}
