export { createMcpEndpoint } from "./http-endpoint.ts";
export { createInProcessFetch } from "./in-process-fetch.ts";
export { serveMcpStdio } from "./stdio-endpoint.ts";
