import { describe, expect, it } from "vitest";
import { FAILURE_CLASSES } from "../../../core/base/index.ts";
import { adviceFor } from "./provider-advice.ts";

const PAGE = "https://console.example";
const advice = (errorCode: string | null, errorMessage: string | null = "Failed.") =>
  adviceFor({ errorCode, errorMessage }, PAGE);

describe("what to do when a model called from the page fails", () => {
  it("exists for every failure of a provider", () => {
    for (const failure of FAILURE_CLASSES) {
      if (failure.startsWith("provider_") || failure === "timeout") expect(advice(failure), failure).not.toBeNull();
    }
    expect(advice("cancelled")).toBeNull();
    expect(advice(null, null)).toBeNull();
  });

  it("depends on the answer of the service", () => {
    expect(
      advice("provider_error", "The service at x (m) could not be reached, or broke off: Failed to fetch"),
    ).toContain(PAGE);
    expect(advice("provider_error", "The service at x (m) did not accept the request (status 404).")).toContain("path");
    expect(advice("provider_error", "The service at x (m) did not accept the request (status 400).")).toContain(
      "model",
    );
    expect(advice("provider_error", "The service at x (m) failed with status 500.")).toContain("again");
    expect(advice("provider_refused", "No model is named: set the model of the step, or one for this tab.")).toBeNull();
  });
});
