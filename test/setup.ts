import { configureGlobal, readConfigureGlobal } from "fast-check";

/**
 * The ordinary run draws the same cases every time, so that a change is judged by itself; SLUICE_TEST_SEED draws others.
 * What a seed finds is kept as an example in the test it broke.
 */
const seed = Number(process.env["SLUICE_TEST_SEED"] ?? 20_261_115);
configureGlobal({ ...readConfigureGlobal(), seed });
