import type { ProblemReply, SentProblem } from "../contract/index.ts";
import type { Refusal } from "../core/engine/index.ts";

/** All problem codes of this API, each with its status and title. */
export const API_PROBLEMS = {
  bad_json: [400, "The body is not valid JSON"],
  unknown_parameter: [400, "There is no such parameter"],
  repeated_parameter: [400, "A parameter is given more than once"],
  bad_cursor: [400, "The cursor cannot be used"],
  organisation_required: [400, "The request does not say which organisation it is about"],
  bad_idempotency_key: [400, "The Idempotency-Key cannot be used"],
  unauthenticated: [401, "A valid key is needed"],
  token_invalid: [401, "The token cannot be believed"],
  token_expired: [401, "The token has expired"],
  token_not_yet_valid: [401, "The token is not valid yet"],
  bad_signature: [401, "The signature does not fit"],
  bad_timestamp: [401, "The message is not of this moment"],
  bad_ticket: [401, "The address is not valid"],
  forbidden: [403, "The key does not allow this"],
  role_missing: [403, "The token gives no role here"],
  no_membership: [403, "The person is a member of no organisation"],
  no_person: [403, "A person has to do this"],
  person_disabled: [403, "The person is disabled"],
  organisation_missing: [403, "The token belongs to no organisation"],
  bad_origin: [403, "The request comes from another site"],
  bad_csrf_token: [403, "The request does not show the token of the session"],
  self_approval: [403, "A caller cannot approve its own work"],
  not_an_approver: [403, "Others are asked"],
  posture_forbidden: [403, "The posture of the workflow forbids the launch"],
  budget_exceeded: [403, "The budget is exhausted"],
  policy_blocked: [403, "A policy forbids the launch"],
  not_found: [404, "There is nothing here"],
  unknown_workflow: [404, "There is no such workflow"],
  unknown_version: [404, "There is no such version"],
  unknown_run: [404, "There is no such run"],
  unknown_node: [404, "There is no such node"],
  unknown_event: [404, "There is no such event"],
  unknown_output: [404, "There is no such output"],
  unknown_approval: [404, "There is no such approval"],
  unknown_api_key: [404, "There is no such key"],
  unknown_session: [404, "There is no such session"],
  unknown_person: [404, "There is no such member"],
  no_cells: [404, "The installation has no cells"],
  unknown_cell: [404, "There is no such cell"],
  unknown_move: [404, "There is no such move"],
  unknown_organisation: [404, "The caller is no member of such an organisation"],
  unknown_invitation: [404, "There is no such invitation"],
  unknown_gateway: [404, "There is no such gateway"],
  unknown_agent: [404, "There is no such agent"],
  unknown_policy: [404, "There is no such policy"],
  unknown_budget: [404, "There is no such budget"],
  unknown_lens: [404, "There is no such lens"],
  unknown_team: [404, "There is no such team"],
  unknown_library_step: [404, "There is no such library step"],
  unknown_schedule: [404, "There is no such schedule"],
  unknown_trigger: [404, "There is no such trigger"],
  unknown_webhook: [404, "There is no such webhook"],
  unknown_channel: [404, "There is no such channel"],
  unknown_model: [404, "There is no such model"],
  unknown_deployment: [404, "There is no such deployment"],
  unknown_credit_plan: [404, "There is no such credit plan"],
  unknown_retention: [404, "There is no such retention"],
  unknown_tool: [404, "There is no such tool"],
  unknown_function: [404, "There is no such function"],
  unknown_grant: [404, "There is no such grant"],
  unknown_view: [404, "There is no such view"],
  unknown_binding: [404, "There is no such role binding"],
  unknown_secret: [404, "There is no such secret"],
  unknown_delivery: [404, "There is no such delivery"],
  unknown_hook: [404, "There is no such hook"],
  unknown_alert: [404, "There is no such alert"],
  unknown_dispatch: [404, "There is no such dispatch"],
  grant_invalid: [422, "The grant is not valid"],
  tool_denied: [409, "The call is not allowed"],
  attempt_over: [409, "The attempt is over"],
  call_not_allowed: [409, "The call was not allowed"],
  round_out_of_order: [409, "Another round follows"],
  wrong_call_id: [422, "The id of the call is not one of this turn"],
  unknown_thread: [404, "There is no such thread"],
  unknown_blob: [404, "There is no such value"],
  unknown_file: [404, "There is no such file"],
  unknown_upload: [404, "There is no such upload"],
  method_not_allowed: [405, "The method is not allowed here"],
  last_admin: [409, "The organisation needs an admin"],
  member_elsewhere: [409, "The person is a member of other organisations"],
  organisation_exists: [409, "The organisation exists already"],
  same_cell: [409, "The organisation lives there"],
  move_under_way: [409, "The organisation is being moved already"],
  move_refused: [409, "The organisation cannot be moved there"],
  idempotency_conflict: [409, "The Idempotency-Key belongs to another request"],
  workflow_paused: [409, "The workflow takes no new runs"],
  webhook_disabled: [409, "The webhook is disabled"],
  trigger_disabled: [409, "The trigger is disabled"],
  channel_disabled: [409, "The channel is disabled"],
  message_repeated: [409, "The message was received before"],
  run_finished: [409, "The run has finished"],
  run_ending: [409, "The run is about to end"],
  paused_with_parent: [409, "The run is paused with its parent"],
  run_not_finished: [409, "The run has not finished"],
  run_erased: [409, "The content of the run was erased"],
  run_exists: [409, "The run is there already"],
  run_in_use: [409, "An open run was started from the run"],
  run_has_parent: [409, "The run belongs to another run"],
  not_started: [409, "The run has not started"],
  not_recoverable: [409, "The run cannot be recovered"],
  too_many_events: [409, "The log of the run is full"],
  already_consumed: [409, "A parent run has taken the result"],
  approval_closed: [409, "The approval is closed"],
  already_answered: [409, "This person has answered"],
  stale_attempt: [409, "The report is about another attempt"],
  schema_conflict: [409, "The function has another schema"],
  protocol_unsupported: [409, "The protocol of the worker is not spoken here"],
  token_in_use: [409, "The token belongs to another gateway"],
  newer_instance: [409, "A newer instance answers for the gateway"],
  content_changed: [409, "The content has changed"],
  upload_completed: [409, "The upload has ended"],
  upload_incomplete: [409, "Parts of the file are missing"],
  secret_elsewhere: [409, "The secret is kept elsewhere"],
  too_many_views: [409, "The caller has too many views"],
  built_in: [409, "What is built in cannot be deleted"],
  round_open: [409, "A call of the round has no outcome"],
  turn_not_kept: [409, "The turn cannot be continued"],
  node_not_kept: [409, "The result of the node is not kept"],
  not_blocked: [409, "The node is not blocked"],
  contract_violated: [409, "It would break a contract"],
  refused: [409, "The run does not take this now"],
  ticket_expired: [410, "The address is no longer valid"],
  event_too_large: [413, "The event is too large"],
  length_required: [411, "The length of the body is needed"],
  body_too_large: [413, "The body is too large"],
  file_too_large: [413, "The file is too large"],
  unsupported_media_type: [415, "The content type is not supported"],
  cursor_ahead: [416, "The cursor is ahead of the log"],
  range_not_satisfiable: [416, "The file has no such range"],
  unknown_host: [421, "The server is not known by this name"],
  invalid_request: [422, "The request is not valid"],
  usage_range: [422, "The usage is out of range"],
  expression_error: [422, "An expression cannot be evaluated"],
  expression_limit: [422, "An expression takes too much"],
  invalid_args: [422, "The args do not fit the workflow"],
  invalid_definition: [422, "The definition is not valid"],
  outbound_refused: [422, "The server does not call this URL"],
  text_unstorable: [422, "The text cannot be stored"],
  packet_invalid: [422, "The packet cannot be used"],
  packet_unsigned: [422, "The packet is not signed with a known key"],
  bad_file_name: [422, "The name of the file cannot be used"],
  bad_mime: [422, "The media type cannot be used"],
  bad_hash: [422, "The hash cannot be used"],
  empty_file: [422, "The file is empty"],
  unknown_part: [422, "The upload has no such part"],
  part_size_mismatch: [422, "The part has another size"],
  size_mismatch: [422, "The file has another size"],
  hash_mismatch: [422, "The file has another content"],
  bad_choice: [422, "The decision is not among the choices"],
  digest_required: [422, "The digest of what was shown is needed"],
  form_invalid: [422, "The form is not filled in"],
  unknown_round: [422, "The turn has no such round"],
  unknown_call: [422, "The round has no such call"],
  turn_not_editable: [422, "The words cannot be changed"],
  no_prompt: [422, "The node is asked nothing"],
  invalid_prompt: [422, "The text cannot be sent"],
  invalid_outputs: [422, "The outputs do not fit the node"],
  modifications_invalid: [422, "The changes do not fit"],
  reason_required: [422, "A reason is needed"],
  simulation_too_long: [422, "The simulation takes too long"],
  nothing_given: [422, "Nothing was given"],
  stream_limit: [429, "The caller has too many open streams"],
  rate_limited: [429, "Too many runs were started"],
  internal_error: [500, "Something went wrong inside Sluice"],
  package_missing: [501, "A package is not installed on the server"],
  platform_closed: [503, "The platform is closed"],
  gateway_unreachable: [503, "No gateway can take the run"],
  run_failed: [502, "The run did not complete"],
  issuer_unreachable: [503, "The issuer of the tokens cannot be asked"],
  storage_limit: [429, "The organisation keeps as much as it may"],
  too_many_open_runs: [429, "The organisation has too many open runs"],
  overloaded: [503, "The server has too much to do"],
  too_many_streams: [503, "The server has too many open streams"],
  file_store_unavailable: [503, "The file store cannot be used"],
  organisation_moving: [503, "The organisation is being moved"],
  cell_unavailable: [503, "The cell of the organisation cannot be used"],
  not_ready: [503, "The server is not ready"],
} as const satisfies Record<string, readonly [number, string]>;

export type ApiProblemCode = keyof typeof API_PROBLEMS;

export interface ProblemExtras {
  readonly problems?: readonly SentProblem[];
  /** The code of the engine, when the table has no entry for it. */
  readonly code?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Additional members of the response, besides those every problem has. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Thrown by handlers and converted into a response by the app. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly problems: readonly SentProblem[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly more: Readonly<Record<string, unknown>>;

  constructor(code: ApiProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail);
    const [status, title] = API_PROBLEMS[code];
    this.code = extras.code ?? code;
    this.status = extras.status ?? status;
    this.title = title;
    this.problems = extras.problems;
    this.headers = extras.headers ?? {};
    this.more = extras.more ?? {};
  }
}

/** Converts a refusal of the engine into an API problem. A code without an entry is a conflict with the state of the run. */
export function refusedBy({ code, message, errors }: Refusal): Refused {
  const detail = `${message.charAt(0).toUpperCase()}${message.slice(1)}${message.endsWith(".") ? "" : "."}`;
  // For a stream, the cursor is a bad range. For an action, an event that is not in the log is a conflict.
  if (code === "cursor_ahead") return new Refused("cursor_ahead", detail, { status: 409 });
  const problems = errors?.map((error) => ({ code, message: `${error.field} ${error.message}`, path: error.field }));
  const extras = problems === undefined ? {} : { problems };
  return isKnown(code) ? new Refused(code, detail, extras) : new Refused("refused", detail, { ...extras, code });
}

function isKnown(code: string): code is ApiProblemCode {
  return Object.hasOwn(API_PROBLEMS, code);
}

export function problemBody({
  code,
  status,
  title,
  message,
  problems,
  more,
}: Refused): Omit<ProblemReply, "requestId"> {
  return {
    ...more,
    type: `urn:sluice:problem:${code}`,
    title,
    status,
    code,
    detail: message,
    ...(problems === undefined ? {} : { problems }),
  };
}

/** Returns a response by RFC 9457. For an unexpected error it contains no details. */
export function problemResponse(refused: Refused, requestId: string): Response {
  const { status, headers } = refused;
  return new Response(JSON.stringify({ ...problemBody(refused), requestId }), {
    status,
    headers: { ...headers, "content-type": "application/problem+json; charset=utf-8", "cache-control": "no-store" },
  });
}
