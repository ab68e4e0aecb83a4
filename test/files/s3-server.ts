import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface S3Server {
  readonly url: string;
  readonly objects: Map<string, Buffer>;
  readonly requests: string[];
  /** The next so many requests are answered with this status. */
  fail(status: number, times: number): void;
  /** Answers of objects end after so many bytes; null: they are whole. */
  cut: number | null;
  close(): Promise<void>;
}

export const ACCESS = {
  accessKeyId: "AKIATEST",
  secretAccessKey: "the/secret+key",
  region: "eu-test-1",
  bucket: "files",
};

/**
 * The part of the S3 API that is used, written from its documents: objects, ranges, lists of two at a time, and
 * signatures (version 4) that are verified to the last byte.
 */
export async function openS3Server(): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const requests: string[] = [];
  let failures: { status: number; times: number } = { status: 0, times: 0 };
  const server = createServer((request, response) => {
    const pieces: Uint8Array[] = [];
    request.on("data", (piece: Uint8Array) => pieces.push(piece));
    request.on("end", () => {
      const body = Buffer.concat(pieces);
      requests.push(`${request.method} ${request.url}`);
      if (failures.times > 0) {
        failures.times -= 1;
        return void response.writeHead(failures.status).end();
      }
      const refusal = refuse(request, body);
      if (refusal !== null) return void response.writeHead(403).end(`<Error><Code>${refusal}</Code></Error>`);
      answer(s3, request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const s3: S3Server = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    requests,
    cut: null,
    fail: (status, times) => (failures = { status, times }),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return s3;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;

function refuse(request: IncomingMessage, body: Buffer): string | null {
  const [, keyId, day = "", region = "", names = "", signature] =
    AUTHORIZATION.exec(request.headers.authorization ?? "") ?? [];
  if (keyId !== ACCESS.accessKeyId) return "InvalidAccessKeyId";
  if (region !== ACCESS.region) return "AuthorizationHeaderMalformed";
  const digest = String(request.headers["x-amz-content-sha256"] ?? "");
  if (digest !== sha256(body)) return "XAmzContentSHA256Mismatch";
  const date = String(request.headers["x-amz-date"] ?? "");
  if (!date.startsWith(day)) return "RequestTimeTooSkewed";
  for (const needed of ["host", "x-amz-content-sha256", "x-amz-date"]) {
    if (!names.split(";").includes(needed)) return "AccessDenied";
  }
  const url = new URL(request.url ?? "", "http://x");
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const headers = names.split(";").map((name) => `${name}:${String(request.headers[name] ?? "").trim()}\n`);
  const canonical = [request.method, url.pathname, query.join("&"), headers.join(""), names, digest].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", date, scope, sha256(Buffer.from(canonical))].join("\n");
  let key: Buffer = Buffer.from(`AWS4${ACCESS.secretAccessKey}`);
  for (const step of [day, region, "s3", "aws4_request"]) key = createHmac("sha256", key).update(step).digest();
  return createHmac("sha256", key).update(toSign).digest("hex") === signature ? null : "SignatureDoesNotMatch";
}

function answer({ objects, cut }: S3Server, request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const url = new URL(request.url ?? "", "http://x");
  const [, bucket, ...rest] = url.pathname.split("/");
  if (bucket !== ACCESS.bucket) return void response.writeHead(404).end("<Error><Code>NoSuchBucket</Code></Error>");
  const key = rest.join("/");
  if (request.method === "PUT") {
    objects.set(key, body);
    return void response.writeHead(200, { etag: '"x"' }).end();
  }
  if (request.method === "DELETE") {
    objects.delete(key);
    return void response.writeHead(204).end();
  }
  if (key === "") {
    const prefix = url.searchParams.get("prefix") ?? "";
    const keys = [...objects.keys()]
      .filter((one) => one.startsWith(prefix))
      .sort()
      .slice(0, 2);
    const contents = keys.map((one) => `<Contents><Key>${one}</Key></Contents>`).join("");
    return void response.writeHead(200).end(`<?xml version="1.0"?><ListBucketResult>${contents}</ListBucketResult>`);
  }
  const object = objects.get(key);
  if (object === undefined) return void response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>");
  const [, from = "0", to = ""] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
  const part = object.subarray(Number(from), to === "" ? undefined : Number(to) + 1);
  response.writeHead(206, { "content-length": part.byteLength });
  if (cut === null || cut >= part.byteLength) return void response.end(part);
  response.write(part.subarray(0, cut), () => response.destroy());
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
