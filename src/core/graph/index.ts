export { layerGraph } from "./layering.ts";
export { ancestorsOf, dependentsOf, descendantsOf } from "./kinship.ts";
