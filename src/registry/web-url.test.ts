import { describe, expect, it } from "vitest";
import { webUrlFlaw } from "./web-url.ts";

describe("an address in a manifest", () => {
  it.each([
    "https://example.com",
    "http://example.com:8080/path?x=1#part",
    "HTTPS://Example.com/",
    "http://[2001:db8::1]:443/",
    "https://name@example.com/x",
    "https://example.com./",
    "http://localhost:65535",
  ])("may be %s", (url) => {
    expect(webUrlFlaw(url)).toBeNull();
  });

  it.each([
    ["http:///path", "host"],
    ["https://", "host"],
    ["http://?x", "host"],
    ["http://:80/", "host"],
    ["http://user@/x", "host"],
    ["http://[]/", "host"],
    ["http://.example.com", "empty parts"],
    ["http://a..b/", "empty parts"],
    ["http://h:0/", "port"],
    ["http://h:00/", "port"],
    ["http://h:65536/", "port"],
    ["http://h:/", "port"],
    ["http://h:8x/", "port"],
    ["http:\\\\h/x", "http or https"],
    ["http://h\\x", "backslashes"],
    ["http://h/a b", "spaces"],
    ["http://h\n/x", "spaces"],
    ["http://%zz/", "exist"],
    ["ftp://h/", "http or https"],
    ["//h/", "http or https"],
    ["", "http or https"],
  ])("may not be %j", (url, why) => {
    expect(webUrlFlaw(url)).toContain(why);
  });
});
