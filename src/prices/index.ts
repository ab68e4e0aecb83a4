export { costMicros } from "./cost.ts";
export { findPrice } from "./find-price.ts";
export type { OwnPrices, Price, Rate } from "./price.ts";
