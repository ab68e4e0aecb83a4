export { createApp, type App, type AppOptions } from "./app.ts";
export type { ApiConfig } from "./config.ts";
export { openApiDocument } from "./openapi.ts";
export { permissionsOf } from "./permission.ts";
export { PERMISSIONS, ROLES, type Permission, type Role } from "../contract/index.ts";
export { ROUTES } from "./route-table.ts";
export { adminKey, isSecret, newSecret } from "./secret.ts";
export { serve, type Served, type ServeOptions } from "./serve.ts";
