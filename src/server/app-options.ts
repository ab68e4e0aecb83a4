import type { AuditTrail } from "../audit/index.ts";
import type { Runtime } from "../driver/index.ts";
import type { Files } from "../files/index.ts";
import type { OpenedGovernance } from "../governance/index.ts";
import type { History } from "../history/index.ts";
import type { Launcher } from "../launch/index.ts";
import type { SignInProvider, TokenVerifier } from "../oidc/index.ts";
import type { Secrets } from "../secrets/index.ts";
import type { Store } from "../store/index.ts";
import type { OpenedWork } from "../work/index.ts";
import type { CellOperations } from "./cell-operations.ts";
import type { ApiConfig } from "./config.ts";
import type { Gateways } from "./route.ts";

export interface AppOptions {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly gateways: Gateways;
  readonly governance: OpenedGovernance;
  /** Default: an audit trail signed with the installation's own key. */
  readonly audit?: AuditTrail;
  /** Default: a new launcher. */
  readonly launcher?: Launcher;
  /** Verifies tokens of an outside issuer; without it only keys are accepted. */
  readonly verifier?: TokenVerifier | null;
  /** Default: files whose content is kept in memory and is lost when the process ends. */
  readonly files?: Files;
  readonly secrets?: Secrets;
  readonly history?: History;
  /** Default: a new one, which the driver does not know. */
  readonly work?: OpenedWork;
  /** Providers by which people sign in to the console. Default: none, so that only keys open it. */
  readonly signIn?: readonly SignInProvider[];
  /** Null when the installation has one database. */
  readonly cells?: CellOperations | null;
  readonly config?: Partial<ApiConfig>;
}
