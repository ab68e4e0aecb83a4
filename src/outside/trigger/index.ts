export { deliveryIdOf } from "./delivery-id.ts";
export { evaluateTrigger } from "./evaluate.ts";
export { EventStarter } from "./event-starter.ts";
export { candidateOfHook, findSigner, HOOK_OVERLAP_MS, type HookCandidate, lackingHeaders } from "./hook.ts";
export { actorOf, launchTriggered } from "./launch-triggered.ts";
export type { DeclaredArgs } from "./message-args.ts";
export {
  deliveriesOf,
  outcomeOf,
  PUBLIC_FORM_RATE_MAX,
  RATE_MAX,
  RATE_WINDOW_MS,
  type StartResult,
  storable,
  TriggerStarter,
} from "./trigger-starter.ts";
export type { IncomingMessage } from "./verify/scheme.ts";
