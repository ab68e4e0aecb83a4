export { performDispatch, type Delivery } from "./dispatch.ts";
export { createPartialBatcher, type PartialBatcher } from "./partials.ts";
