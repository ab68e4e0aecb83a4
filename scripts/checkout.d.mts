export const CHECKOUT: string;
export function buildIfStale(root?: string): Promise<void>;
export function buildConsoleIfStale(root?: string): Promise<void>;
