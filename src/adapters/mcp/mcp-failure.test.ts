import { describe, expect, it } from "vitest";
import { ResponseTooLarge } from "../../outbound/index.ts";
import { failureOf, McpFailure } from "./mcp-failure.ts";

function errorWith(parts: object, cause?: unknown): Error {
  return Object.assign(new Error("said", { cause }), parts);
}

describe("failureOf", () => {
  it.each<[string, unknown, string, RegExp]>([
    ["a refusal of its own", new McpFailure("provider_refused", "no"), "provider_refused", /^no$/],
    ["401", errorWith({ status: 401 }), "provider_auth", /"s" refused the credentials \(HTTP 401\)/],
    ["403 further down", errorWith({}, errorWith({ status: 403 })), "provider_auth", /HTTP 403/],
    ["429", errorWith({ status: 429 }), "provider_rate_limit", /HTTP 429/],
    ["500", errorWith({ status: 500 }), "provider_error", /"s" did not answer the call: said/],
    ["too much", errorWith({}, new ResponseTooLarge(5)), "provider_bad_output", /more than 5 MiB/],
    ["an answer that is none", errorWith({ code: "INVALID_RESULT" }), "provider_bad_output", /is malformed: said/],
    ["a thrown text", "oops", "provider_error", /no reason given/],
    ["nothing", undefined, "provider_error", /no reason given/],
  ])("%s", (_, error, failure, message) => {
    const found = failureOf(error, "s", "call");
    expect(found.failure).toBe(failure);
    expect(found.message).toMatch(message);
  });

  it.each([
    [400, false],
    [404, false],
    [409, undefined],
    [503, undefined],
  ])("of status %i may be tried again: %s", (status, retryable) => {
    expect(failureOf(errorWith({ status }), "s", "call").retryable).toBe(retryable);
  });

  it("ends on causes in a circle, and cuts long texts", () => {
    const circle: Error & { cause?: unknown } = new Error("x".repeat(10_000));
    circle.cause = circle;
    expect(failureOf(circle, "s", "connect").message.length).toBe(2_049);
  });
});
