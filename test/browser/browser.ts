import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core";
import { CHROMIUM_MISSING, findChromium } from "../../scripts/chromium.mjs";

/** A slow machine is no failure. */
const PATIENCE_MS = 60_000;

/** What Playwright disables already: a second flag replaces its own. */
const OFF_BY_PLAYWRIGHT = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
];
/** The list below the address bar, which is never seen and is a page itself: each window would start a process for it. */
const OFF = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"];

let launched: Browser | null = null;

/** One Chromium for all files of a process, since starting it takes seconds; it ends with the process. */
export async function openBrowser(): Promise<Browser> {
  if (launched?.isConnected() === true) return launched;
  const executablePath = findChromium();
  if (executablePath === null) throw new Error(CHROMIUM_MISSING);
  // Its own sandbox needs rights that containers do not give; it opens nothing but our page.
  launched = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", `--disable-features=${[...OFF_BY_PLAYWRIGHT, ...OFF].join()}`],
  });
  return launched;
}

/** A browser of its own for one person. Whoever opens it closes it. */
export async function openContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await (await openBrowser()).newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}
