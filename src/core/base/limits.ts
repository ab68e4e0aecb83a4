/** Every limit by name. Each is checked where the value enters and tested at its edge. */
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
  /** Past it, whatever walks a value by recursion would risk the stack. */
  valueDepthMax: 100,
  /** A value beyond it is stored once, by its hash, and referred to. */
  inlineValueBytesMax: 65_536,
  boundInputBytesMax: 524_288,
  /** Of what a person is shown of one value, of all of it, and of a value that is cut. */
  shownValueBytesMax: 65_536,
  subjectBytesMax: 524_288,
  previewBytesMax: 2_048,
  errorTextLengthMax: 16_384,
  callsPerNodeMax: 10,
  /** Of an organisation, unless the operator sets another. */
  openRunsMax: 100_000,
  retryAfterMsMax: 600_000,
  recursionDepthMax: 5,
  /** Beyond it pieces of answers are no longer written, so that what is left of the log is for what happens. */
  eventsWithDeltasMax: 250_000,
  eventsPerRunMax: 300_000,
  /** Elements and rounds of a run together; nodes of the plan are counted apart. */
  instancesPerRunMax: 100_000,
  /** Of the turn of an agent: model calls, tool calls, calls of one tool with the same args. */
  turnRoundsDefault: 20,
  turnRoundsMax: 1_000,
  turnToolCallsDefault: 50,
  turnToolCallsMax: 10_000,
  turnRepeatsDefault: 3,
  turnRepeatsMax: 1_000,
  /** Of what an adapter gives back when it suspends, as JSON. */
  transcriptBytesMax: 4_194_304,
  forEachItemsDefault: 1_000,
  /** Open runs of one key, whatever a document says. */
  concurrentRunsMax: 1_000,
  /** Of one run; of the text of one label. */
  labelsMax: 20,
  labelTextLengthMax: 200,
  /** Of one repeated step. */
  roundsMax: 1_000,
  roundsDefault: 10,
  runParallelDefault: 50,
  stepTimeoutMsDefault: 600_000,
  lensTimeoutMsDefault: 60_000,
  queueTimeoutMsDefault: 600_000,
  /** Open event streams: of one process, of one organisation in it, and of one key or token in it. */
  streamsPerProcessMax: 10_000,
  streamsPerOrganisationMax: 1_000,
  streamsPerPrincipalMax: 50,
  /** Of one event, its key and data together. */
  eventBytesMax: 262_144,
  eventsPerRequestMax: 500,
  eventKeepMsDefault: 3_600_000,
  eventKeepMsMax: 7 * 24 * 3_600_000,
  /** Runs that start one another by events they emit. */
  eventChainRunsMax: 16,
  /** Nodes that only compute, per input of a run: the rest follow with the next. */
  computedNodesMax: 500,
  fileBytesMax: 1_073_741_824,
  /** Files are sent and kept in parts of this size; the last one may be shorter. */
  filePartBytes: 8_388_608,
  fileNameBytesMax: 255,
  /** How long `finally` may take. */
  finallyMs: 600_000,
  approvalExpiresMsDefault: 7 * 24 * 3_600_000,
} as const;
