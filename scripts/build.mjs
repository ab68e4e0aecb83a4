import { prepareCheckout } from "./checkout.mjs";

/** `npm run build`: brings `dist` up to date. */
try {
  await prepareCheckout();
} catch (error) {
  process.stderr.write(`sluice: ${error.message}\n`);
  process.exitCode = 2;
}
