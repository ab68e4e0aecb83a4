/** The variables an adapter may look its secrets up in. */
export type Environment = Readonly<Record<string, string | undefined>>;
