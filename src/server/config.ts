/** How an API is set up. Everything has a default that suits one process on one machine. */
export interface ApiConfig {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Where people reach the server, when that is not where it listens. */
  readonly publicUrl: string | null;
  readonly streamsMax: number;
  /** How often the last event ids of all watched runs are asked for. */
  readonly tailMs: number;
  readonly heartbeatMs: number;
  /** Bytes a stream may fall behind while its client does not read. */
  readonly backlogBytesMax: number;
  /** How long a client may leave its stream unread before it is cut. */
  readonly stallMs: number;
  /** Called with errors nobody expected; the answer says no more than the request id. */
  readonly onTrouble: (what: string, error: unknown) => void;
}

export const DEFAULT_CONFIG: ApiConfig = {
  now: Date.now,
  publicUrl: null,
  streamsMax: 1_000,
  tailMs: 250,
  heartbeatMs: 15_000,
  backlogBytesMax: 1_048_576,
  stallMs: 60_000,
  onTrouble: () => undefined,
};
