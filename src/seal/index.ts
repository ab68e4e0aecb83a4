export { gatewayPlace, hookPlace, secretPlace } from "./place.ts";
export { openSecrets, sealSecrets } from "./sealed-secrets.ts";
export { createSecretBox, type SecretBox } from "./secret-box.ts";
