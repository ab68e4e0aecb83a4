export const CHROMIUM_MISSING: string;
export function findChromium(env?: Readonly<Record<string, string | undefined>>): string | null;
export function installChromium(
  print: (text: string) => void,
  env?: Readonly<Record<string, string | undefined>>,
): boolean;
