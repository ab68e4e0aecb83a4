export const CHECKOUT: string;
export function buildConsoleIfStale(root?: string): Promise<void>;
