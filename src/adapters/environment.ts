/** The environment variables in which an adapter may find its secrets. */
export type Environment = Readonly<Record<string, string | undefined>>;
