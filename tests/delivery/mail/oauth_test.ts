import { assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type Mailer, MailerError } from "../../../delivery/mail/mailer.ts";
import { openSmtpMailer } from "../../../delivery/mail/smtp.ts";
import { createTokenSource } from "../../../delivery/mail/smtp/oauth.ts";
import { testMail } from "../../_support/mails.ts";
import { CLOSED_PORT } from "../../_support/port.ts";
import { forEachRow } from "../../_support/rows.ts";
import { startScriptedRelay } from "../../_support/scripted_relay.ts";

const CREDENTIALS = { clientId: "boardcast", clientSecret: "s3cret&more" };
const LIFETIME_S = 3_600;

/** Serves numbered tokens, or the given responses in order. */
function serveTokens(...answers: readonly (readonly [status: number, body: unknown])[]) {
  const requests: Record<string, string>[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    requests.push(Object.fromEntries(new URLSearchParams(await request.text())));
    const token = { access_token: `token-${requests.length}`, expires_in: LIFETIME_S };
    const [status, body] = answers[requests.length - 1] ?? [200, token];
    return Response.json(body, { status });
  });
  return {
    tokenUrl: `http://127.0.0.1:${server.addr.port}/token?scope=mail.send`,
    requests,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Starts a relay that accepts only some tokens at login. */
async function startRelay(isGood: (token: string) => boolean) {
  let isTold = false;
  const logins: string[] = [];
  const relay = await startScriptedRelay((step) => {
    if (step === "EHLO") return { say: "250-relay\r\n250 AUTH LOGIN XOAUTH2" };
  }, {
    AUTH(line) {
      const credentials = atob(line.split(" ")[2]);
      logins.push(credentials);
      const token = credentials.split("\x01")[1].replace("auth=Bearer ", "");
      isTold = !isGood(token);
      return isTold ? `334 ${btoa('{"status":"401"}')}` : "235 2.7.0 Accepted";
    },
    "": () => isTold ? "535 5.7.3 Authentication unsuccessful" : "500 empty",
  });
  return { relay, logins };
}

async function withMailer(
  { url, tokenUrl }: { readonly url: string; readonly tokenUrl: string },
  use: (mailer: Mailer) => Promise<void>,
): Promise<void> {
  const oauth = { tokenUrl, ...CREDENTIALS };
  const mailer = openSmtpMailer(url.replace("//", "//news%40acme.example@"), { oauth });
  await use(mailer).finally(() => mailer.close());
}

describe("a login by OAuth 2", () => {
  it("sends the token of the client, which all connections share", async () => {
    await using tokens = serveTokens();
    const { relay, logins } = await startRelay((token) => token === "token-1");
    await using _ = relay;
    await withMailer({ url: relay.url, ...tokens }, async (mailer) => {
      const mails = Array.from({ length: 5 }, () => mailer.send(testMail()));
      for (const outcome of await Promise.all(mails)) assertEquals(outcome, { state: "sent" });
    });
    assertEquals(tokens.requests, [{
      grant_type: "client_credentials",
      client_id: "boardcast",
      client_secret: "s3cret&more",
      scope: "mail.send",
    }]);
    const credentials = "user=news@acme.example\x01auth=Bearer token-1\x01\x01";
    assertEquals(new Set(logins), new Set([credentials]));
  });

  it("fetches another token once the relay has refused one, and says that it did", async () => {
    await using tokens = serveTokens();
    const { relay } = await startRelay((token) => token === "token-2");
    await using _ = relay;
    await withMailer({ url: relay.url, ...tokens }, async (mailer) => {
      const refused = await assertRejects(() => mailer.send(testMail()), MailerError);
      assertEquals(
        refused.message,
        "The mail relay refused the login: 535 5.7.3 Authentication unsuccessful",
      );
      assertEquals(await mailer.send(testMail()), { state: "sent" });
    });
  });

  it("fails as a whole, without the secret in the message, where no token is given", async () => {
    const description = `The secret\x1b[1m s3cret&more is ${"x".repeat(300)}`;
    const refusal = { error: "invalid_client", error_description: description };
    await using tokens = serveTokens([401, refusal], [500, "down"]);
    const { relay } = await startRelay(() => true);
    await using _ = relay;
    await withMailer({ url: relay.url, ...tokens }, async (mailer) => {
      for (
        const message of [
          /answers 401 invalid_client The secret \[1m … is x{200,236}$/,
          /answers 500$/,
        ]
      ) {
        const error = await assertRejects(() => mailer.send(testMail()), MailerError);
        assertMatch(error.message, message);
      }
      assertEquals(await mailer.send(testMail()), { state: "sent" });
    });
    const tokenUrl = `http://127.0.0.1:${CLOSED_PORT}/token`;
    await withMailer({ url: relay.url, tokenUrl }, async (mailer) => {
      await assertRejects(() => mailer.send(testMail()), MailerError, "Cannot reach the token");
    });
  });

  it("follows no redirect, which would take the secret elsewhere", async () => {
    let requests = 0;
    const serve = (handler: () => Response) =>
      Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handler);
    await using other = serve(() => {
      requests++;
      return Response.json({ access_token: "token-1" });
    });
    await using endpoint = serve(() =>
      Response.redirect(`http://127.0.0.1:${other.addr.port}/token`, 307)
    );
    const tokenUrl = `http://127.0.0.1:${endpoint.addr.port}/token`;
    const source = createTokenSource({ ...CREDENTIALS, tokenUrl });
    await assertRejects(() => source.getToken(), MailerError, "Cannot reach the token");
    assertEquals(requests, 0);
  });

  it("refuses options that can't work, and names the one to mend", () =>
    forEachRow<readonly [tokenUrl: string, clientId: string, message: string]>([
      ["http://login.example/token", "a", "tokenUrl: give the https URL"],
      ["login.example/token", "a", "tokenUrl: give the https URL"],
      ["https://login.example/\ttoken", "a", "tokenUrl: give the https URL"],
      ["https://login.example/token", "", "clientId: it must not be empty"],
    ], ([tokenUrl, clientId, message]) => {
      const oauth = { tokenUrl, clientId, clientSecret: "s" };
      const url = "smtp://ann@mail.example.com";
      assertThrows(() => openSmtpMailer(url, { oauth }), TypeError, message);
    }));
});

describe("a token", () => {
  it("is fetched again before it expires", async () => {
    await using tokens = serveTokens();
    let nowMs = 0;
    const source = createTokenSource({ ...CREDENTIALS, ...tokens }, { elapsed: () => nowMs });
    assertEquals(await source.getToken(), "token-1");
    nowMs = LIFETIME_S * 1_000 - 61_000;
    assertEquals(await source.getToken(), "token-1");
    nowMs += 1_000;
    assertEquals(await source.getToken(), "token-2");
  });
});
