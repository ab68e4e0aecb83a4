import { describe, expect, it } from "vitest";
import { Refusal } from "./refusal.ts";
import { readTelemetry } from "./telemetry.ts";

function read(env: Record<string, string>) {
  const written: string[] = [];
  const settings = readTelemetry({ env }, { warn: (text) => void written.push(text) }, "1.2.3");
  return { settings, written: written.join("") };
}

const BASE = "OTEL_EXPORTER_OTLP_ENDPOINT";
const OWN = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

describe("the variables of OpenTelemetry", () => {
  it.each<[Record<string, string>, string | null]>([
    [{}, null],
    [{ [BASE]: "" }, null],
    [{ [BASE]: "http://c:4318" }, "http://c:4318/v1/traces"],
    [{ [BASE]: "http://c:4318/" }, "http://c:4318/v1/traces"],
    [{ [BASE]: "https://c/otlp/?x=1" }, "https://c/otlp/v1/traces?x=1"],
    [{ [BASE]: "http://c:4318", [OWN]: "http://t:9/custom" }, "http://t:9/custom"],
    [{ [OWN]: "http://t:9" }, "http://t:9/"],
    [{ [BASE]: "http://c:4318", OTEL_SDK_DISABLED: "TRUE" }, null],
    [{ [BASE]: "http://c:4318", OTEL_TRACES_EXPORTER: "none" }, null],
  ])("%j lead to %s", (env, endpoint) => {
    expect(read(env).settings?.endpoint ?? null).toBe(endpoint);
  });

  it("name the service, its attributes and what a request carries", () => {
    const { settings } = read({
      [BASE]: "http://c:4318",
      OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Bearer%20abc, x-a=1",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-a=2",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,service.name=other,team=a%2Cb",
      OTEL_SERVICE_NAME: "mine",
    });
    expect(settings?.headers).toEqual({ authorization: "Bearer abc", "x-a": "2" });
    expect([...(settings?.resource.attributes ?? [])]).toEqual([
      ["deployment.environment.name", "test"],
      ["service.name", "mine"],
      ["team", "a,b"],
      ["service.version", "1.2.3"],
    ]);
    expect(read({ [BASE]: "http://c" }).settings?.resource.attributes.get("service.name")).toBe("sluice");
  });

  it("report how to fix what cannot be used, and never repeat a secret", () => {
    for (const env of [
      { [BASE]: "collector:4318" },
      { [OWN]: "grpc://c" },
      { [BASE]: "http://c", OTEL_EXPORTER_OTLP_HEADERS: "topsecret" },
      { [BASE]: "http://c", OTEL_EXPORTER_OTLP_HEADERS: "a=%zztopsecret" },
      { [BASE]: "http://c", OTEL_EXPORTER_OTLP_HEADERS: "content-length=topsecret" },
      { [BASE]: "http://c", OTEL_EXPORTER_OTLP_HEADERS: "a=topsecret%0d%0ax:1" },
    ]) {
      let refusal: unknown = null;
      try {
        read(env);
      } catch (thrown) {
        refusal = thrown;
      }
      expect(refusal).toBeInstanceOf(Refusal);
      expect(String(refusal)).not.toContain("topsecret");
      expect(String(refusal)).toContain("OTEL_");
    }
    const { settings, written } = read({ [BASE]: "http://c:4317", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" });
    expect(settings).toBeNull();
    expect(written).toContain("http/json");
  });
});
