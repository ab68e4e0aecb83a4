export { type OpenedWork, openWork } from "./open-work.ts";
