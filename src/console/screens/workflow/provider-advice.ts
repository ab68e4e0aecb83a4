/** The error of a node, as recorded in the log. */
export interface ProviderTrouble {
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

const UNREACHABLE = /could not be reached/;
const NOT_FOUND = /\(status 404\)/;
const REFUSED_REQUEST = /did not accept the request/;
const NO_MODEL = /^No model is named|^The message is empty/;

/** Returns advice for a failure of a model called from the page. Null when the error message already explains it. */
export function adviceFor({ errorCode, errorMessage }: ProviderTrouble, page: string): string | null {
  const message = errorMessage ?? "";
  switch (errorCode) {
    case "provider_auth":
      return "Check the key above: whether it is whole, still valid, and may use this model.";
    case "provider_rate_limit":
      return "Wait a little and run again, or let fewer nodes act at a time with max_parallel.";
    case "provider_error":
      return adviceForError(message, page);
    case "provider_refused":
      return NO_MODEL.test(message) ? null : "Word the prompt differently, or choose another model.";
    case "provider_bad_output":
      return "Ask for less or simpler outputs, raise the limit of output tokens, or choose another model.";
    case "timeout":
      return "Give the step a longer timeout, or choose a faster model.";
    default:
      return null;
  }
}

function adviceForError(message: string, page: string): string {
  if (UNREACHABLE.test(message))
    return `Check service and path. The service must also allow calls from pages of ${page} (CORS); one that does not can only be called by a server, so launch the workflow there.`;
  if (NOT_FOUND.test(message)) return "Check the path, and the name of the model: the service knows no such thing.";
  if (REFUSED_REQUEST.test(message)) return "Check the name of the model, and whether it takes what the step asks for.";
  return "The service itself failed: run again in a while, or choose another one.";
}
