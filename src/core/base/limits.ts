/** All limits by name. Each is checked where the value enters, and tested at its boundary. */
export const LIMITS = {
  yamlBytesMax: 1_048_576,
  jsonBytesMax: 8_388_608,
  textDepthMax: 20,
  problemsMax: 50,
  nodesMax: 10_000,
  edgesMax: 50_000,
  nameLengthMax: 64,
  idLengthMax: 64,
  commandBytesMax: 65_536,
  expressionLengthMax: 1_024,
  expressionDepthMax: 32,
  expressionStepsMax: 10_000,
  expressionResultBytesMax: 1_048_576,
  patternLengthMax: 1_024,
  /** Maximum depth of a value. Recursive code could overflow the stack with a deeper value. */
  valueDepthMax: 100,
  /** A larger value is stored once, by its hash, and referenced. */
  inlineValueBytesMax: 65_536,
  boundInputBytesMax: 524_288,
  /** Limits of the subject of an approval: one shown value, all shown values together, and the preview of a truncated value. */
  shownValueBytesMax: 65_536,
  subjectBytesMax: 524_288,
  previewBytesMax: 2_048,
  errorTextLengthMax: 16_384,
  callsPerNodeMax: 10,
  /** Open runs of an organisation. The operator can set another limit. */
  openRunsMax: 100_000,
  retryAfterMsMax: 600_000,
  recursionDepthMax: 5,
  /** Above this number streamed text is no longer written, so that the rest of the log is available for other events. */
  eventsWithDeltasMax: 250_000,
  eventsPerRunMax: 300_000,
  /** Elements and rounds of a run together. Nodes of the plan are counted separately. */
  instancesPerRunMax: 100_000,
  /** Limits of one turn: model calls, tool calls, calls of one tool with the same args. */
  turnRoundsDefault: 20,
  turnRoundsMax: 1_000,
  turnToolCallsDefault: 50,
  turnToolCallsMax: 10_000,
  turnRepeatsDefault: 3,
  turnRepeatsMax: 1_000,
  /** Size of the transcript that an adapter returns when it suspends, as JSON. */
  transcriptBytesMax: 4_194_304,
  forEachItemsDefault: 1_000,
  /** Highest limit of open runs with the same key that a document can set. */
  concurrentRunsMax: 1_000,
  /** Labels of one run, and characters of the text of one label. */
  labelsMax: 20,
  labelTextLengthMax: 200,
  /** Rounds of one repeated step. */
  roundsMax: 1_000,
  roundsDefault: 10,
  runParallelDefault: 50,
  stepTimeoutMsDefault: 600_000,
  lensTimeoutMsDefault: 60_000,
  queueTimeoutMsDefault: 600_000,
  /** Open event streams: per process, per organisation in a process, and per key or token in a process. */
  streamsPerProcessMax: 10_000,
  streamsPerOrganisationMax: 1_000,
  streamsPerPrincipalMax: 50,
  /** Size of one event: its key and data together. */
  eventBytesMax: 262_144,
  eventsPerRequestMax: 500,
  eventKeepMsDefault: 3_600_000,
  eventKeepMsMax: 7 * 24 * 3_600_000,
  /** Length of a chain of runs that start one another by emitted events. */
  eventChainRunsMax: 16,
  /** Nodes that only compute, executed for one input of a run. The remaining ones are executed with the next input. */
  computedNodesMax: 500,
  fileBytesMax: 1_073_741_824,
  /** Size of the parts in which files are uploaded and stored. The last part may be shorter. */
  filePartBytes: 8_388_608,
  fileNameBytesMax: 255,
  /** Maximum duration of `finally`. */
  finallyMs: 600_000,
  approvalExpiresMsDefault: 7 * 24 * 3_600_000,
} as const;
