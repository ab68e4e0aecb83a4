export { AlertWatch, type Fired } from "./alert-watch.ts";
