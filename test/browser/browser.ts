import { type Browser, chromium } from "playwright-core";
import { CHROMIUM_MISSING, findChromium } from "../../scripts/chromium.mjs";

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
