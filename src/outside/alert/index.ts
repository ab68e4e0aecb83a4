export { AlertWatch } from "./alert-watch.ts";
