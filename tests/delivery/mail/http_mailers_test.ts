// Tests the mailers of docs/deno-kv.md with stand-ins that follow the providers' documentation.

import { assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { MailerError } from "../../../delivery/mail/mailer.ts";
import { createPostmarkMailer, createResendMailer } from "../../../docs/examples/http_mailers.ts";
import { testMail } from "../../_support/mails.ts";
import { CLOSED_PORT } from "../../_support/port.ts";
import { forEachRow } from "../../_support/rows.ts";

const SECRET = "secret-of-the-account";
const MAIL = testMail({
  from: { name: 'Acme "News"', address: "news@example.com" },
  headers: { "List-Unsubscribe": "<https://example.com/unsubscribe/x>" },
});

/** A request to a stand-in. */
interface Received {
  readonly path: string;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Serves responses in order, and records the requests. */
function serve(...answers: readonly (readonly [status: number, body: unknown])[]) {
  const received: Received[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const path = `${request.method} ${new URL(request.url).pathname}`;
    received.push({ path, headers: request.headers, body: await request.json() });
    const [status, body] = answers[Math.min(received.length, answers.length) - 1];
    return Response.json(body, { status });
  });
  return {
    baseUrl: `http://127.0.0.1:${server.addr.port}`,
    received,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

describe("the mailer for Resend", () => {
  const SENT = [200, { id: "49a3999c-0ce1-4ea6-ab68-afcd6dc2e794" }] as const;
  const failure = (statusCode: number, name: string, message = "What went wrong") =>
    [statusCode, { statusCode, name, message }] as const;

  it("posts a mail as documented, under a key by which it is sent once", async () => {
    await using provider = serve(SENT);
    const mailer = createResendMailer({ secret: SECRET, baseUrl: provider.baseUrl });
    assertEquals(await mailer.send(MAIL), { state: "sent" });
    const [{ path, headers, body }] = provider.received;
    assertEquals([path, headers.get("authorization")], ["POST /emails", `Bearer ${SECRET}`]);
    assertEquals(headers.get("idempotency-key"), MAIL.messageId);
    assertEquals(body, {
      from: '"Acme \\"News\\"" <news@example.com>',
      to: MAIL.to,
      subject: MAIL.subject,
      text: MAIL.text,
      html: MAIL.html,
      headers: MAIL.headers,
    });
    await mailer.close();
  });

  it("tells faults of the recipient from all others", () =>
    forEachRow([
      [failure(409, "invalid_idempotent_request"), "sent"],
      [failure(409, "concurrent_idempotent_requests"), "deferred 4.4.5 What went wrong"],
      [
        failure(422, "validation_error", "Invalid `to` field: ann@example.com is wrong"),
        "refused 5.1.3 Invalid `to` field: … is wrong",
      ],
      [failure(422, "validation_error", "Invalid `from` field."), "422 validation_error"],
      [failure(401, "missing_api_key"), "401 missing_api_key"],
      [failure(403, "invalid_api_key"), "403 invalid_api_key"],
      [failure(429, "rate_limit_exceeded"), "429 rate_limit_exceeded"],
      [failure(429, "daily_quota_exceeded"), "429 daily_quota_exceeded"],
      [failure(500, "application_error"), "500 application_error"],
    ], async ([answer, expected]) => {
      await using provider = serve(answer);
      const mailer = createResendMailer({ secret: SECRET, baseUrl: provider.baseUrl });
      if (/^\d/.test(expected)) await assertRejects(() => mailer.send(MAIL), MailerError, expected);
      else assertEquals(Object.values(await mailer.send(MAIL)).join(" "), expected);
    }));

  it("fails as a whole when the provider can't be reached", async () => {
    const baseUrl = `http://127.0.0.1:${CLOSED_PORT}`;
    const mailer = createResendMailer({ secret: SECRET, baseUrl });
    await assertRejects(() => mailer.send(MAIL), MailerError, "Cannot reach 127.0.0.1");
  });
});

describe("the mailer for Postmark", () => {
  const failure = (status: number, ErrorCode: number, Message = "What went wrong") =>
    [status, { ErrorCode, Message }] as const;
  const SENT = [200, {
    To: MAIL.to,
    SubmittedAt: "2026-11-21T10:00:00.0000000Z",
    MessageID: "0a129aee-e1cd-480d-b08d-4f48548ff48d",
    ErrorCode: 0,
    Message: "OK",
  }] as const;

  it("posts a mail as documented, in a stream for broadcasts", async () => {
    await using provider = serve(SENT);
    const mailer = createPostmarkMailer({ secret: SECRET, baseUrl: provider.baseUrl });
    assertEquals(await mailer.send(MAIL), { state: "sent" });
    const [{ path, headers, body }] = provider.received;
    assertEquals([path, headers.get("x-postmark-server-token")], ["POST /email", SECRET]);
    assertEquals([headers.get("accept"), headers.get("content-type")], [
      "application/json",
      "application/json",
    ]);
    assertEquals(body, {
      From: '"Acme \\"News\\"" <news@example.com>',
      To: MAIL.to,
      Subject: MAIL.subject,
      TextBody: MAIL.text,
      HtmlBody: MAIL.html,
      Headers: [
        { Name: "List-Unsubscribe", Value: "<https://example.com/unsubscribe/x>" },
        { Name: "Message-ID", Value: MAIL.messageId },
        { Name: "X-PM-KeepID", Value: "true" },
      ],
      MessageStream: "broadcast",
    });
    await mailer.close();
  });

  it("tells faults of the recipient from all others", () =>
    forEachRow([
      [
        failure(422, 406, "Found inactive addresses: ann@example.com."),
        "refused 5.1.1 Found inactive addresses: …",
      ],
      [
        failure(422, 300, "Invalid 'To' address: 'ann@example.com'."),
        "refused 5.1.3 Invalid 'To' address: …",
      ],
      [
        failure(422, 300, "Error parsing 'To': Illegal"),
        "refused 5.1.3 Error parsing 'To': Illegal",
      ],
      [failure(422, 300, "Invalid 'From' address: 'x'."), "422, error 300"],
      [failure(422, 401), "422, error 401"],
      [failure(401, 10), "401, error 10"],
      [failure(429, 429), "429, error 429"],
      [failure(503, 100), "503, error 100"],
    ], async ([answer, expected]) => {
      await using provider = serve(answer);
      const mailer = createPostmarkMailer({ secret: SECRET, baseUrl: provider.baseUrl });
      if (/^\d/.test(expected)) await assertRejects(() => mailer.send(MAIL), MailerError, expected);
      else assertEquals(Object.values(await mailer.send(MAIL)).join(" "), expected);
    }));

  it("defers a mail that gets no answer, as it may have been sent", async () => {
    const { timeout } = AbortSignal;
    AbortSignal.timeout = () => AbortSignal.abort(new DOMException("Late", "TimeoutError"));
    const mailer = createPostmarkMailer({ secret: SECRET, baseUrl: "http://127.0.0.1:1" });
    const outcome = await mailer.send(MAIL);
    AbortSignal.timeout = timeout;
    assertEquals(outcome, { state: "unknown", code: "4.4.2", text: "No reply" });
  });
});
