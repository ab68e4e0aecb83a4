export { createApp, type App } from "./app.ts";
export type { ApiConfig } from "./config.ts";
export { memberRecipients } from "./member-recipients.ts";
export { permissionsOf } from "./permission.ts";
export { PERMISSIONS, ROLES, type Permission, type MemberRole } from "../contract/index.ts";
export { ROUTES } from "./route-table.ts";
export { adminKey, newSecret } from "./secret.ts";
export { createTriggers } from "./trigger-lookup.ts";
export { serve, type Served } from "./serve.ts";
