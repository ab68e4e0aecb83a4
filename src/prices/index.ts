export { costMicros, type PricedUsage } from "./cost.ts";
export { findPrice, type PriceQuery } from "./find-price.ts";
export type { OwnPrice, OwnPrices, Price, Rate } from "./price.ts";
