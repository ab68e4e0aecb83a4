export { layerGraph, type Layering } from "./layering.ts";
export { ancestorsOf, dependentsOf, descendantsOf, type Ancestors } from "./kinship.ts";
