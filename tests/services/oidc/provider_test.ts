import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { SignInFault } from "../../../model/oidc/sign_in_fault.ts";
import { CLOSED_PORT } from "../../_support/port.ts";
import {
  CLIENT,
  createClient,
  generateKey,
  REDIRECT_URI,
  type Script,
  signIn,
  signWith,
  startForgingProvider,
} from "../../_support/forging_provider.ts";
import { forEachRow } from "../../_support/rows.ts";

const METADATA = "/.well-known/openid-configuration";
const ANN = {
  subject: "u-1",
  userEmail: "ann@example.com",
  userName: "Ann",
  domain: "example.com",
};

describe("a sign-in at the provider", () => {
  it("asks for a code by PKCE, and gives the person", async () => {
    await using forging = await startForgingProvider();
    const { outcome, urls, log } = await signIn(createClient(forging.issuer));
    assertEquals(outcome, { issuer: forging.issuer, ...ANN });
    assertEquals(log, []);
    const { pathname, searchParams } = new URL(urls[0]);
    const { state, nonce, code_challenge, ...rest } = Object.fromEntries(searchParams);
    assertEquals([pathname, rest], ["/authorize", {
      tenant: "a",
      response_type: "code",
      client_id: "boardcast",
      redirect_uri: REDIRECT_URI,
      scope: "openid email profile",
      code_challenge_method: "S256",
    }]);
    assertMatch([state, nonce].join(), /^\w{32},\w{32}$/);
    assertMatch(code_challenge, /^[\w-]{43}$/);
    const { body } = forging.requests.find(({ path }) => path === "/token")!;
    const digest = await crypto.subtle.digest(
      "SHA-256",
      new TextEncoder().encode(body.get("code_verifier")!),
    );
    const challenge = btoa(String.fromCharCode(...new Uint8Array(digest)));
    assertEquals(challenge.replaceAll("+", "-").replaceAll("/", "_"), `${code_challenge}=`);
    assertEquals(body.get("redirect_uri"), REDIRECT_URI);
  });

  it("draws new secrets each time", async () => {
    await using forging = await startForgingProvider();
    const { provider } = createClient(forging.issuer);
    const [one, other] = await Promise.all(
      [1, 2].map(() => provider.begin({ redirectUri: REDIRECT_URI })),
    );
    assert("remembered" in one && "remembered" in other);
    for (const name of ["state", "nonce", "verifier"] as const) {
      assertNotEquals(one.remembered[name], other.remembered[name]);
    }
  });

  it("sends the secret as the provider wants it, and a public client has none", async () => {
    await using forging = await startForgingProvider();
    const { clientId, clientSecret } = CLIENT;
    const encode = (text: string) => `${new URLSearchParams({ "": text })}`.slice(1);
    const basic = `Basic ${btoa(`${encode(clientId)}:${encode(clientSecret)}`)}`;
    const [post, both] = ["client_secret_post", "client_secret_basic"];
    type Sent = readonly [string | null, string | null, string | null];
    await forEachRow<readonly [methods: unknown, secret: string | undefined, expected: Sent]>([
      [undefined, clientSecret, [basic, null, null]],
      [[post, both], clientSecret, [basic, null, null]],
      [[post], clientSecret, [null, clientId, clientSecret]],
      [["private_key_jwt"], clientSecret, [basic, null, null]],
      [[post], undefined, [null, clientId, null]],
    ], async ([methods, secret, expected]) => {
      forging.script = { metadata: { token_endpoint_auth_methods_supported: methods } };
      const { outcome } = await signIn(
        createClient(forging.issuer, { options: { clientSecret: secret } }),
      );
      assert(!(outcome instanceof SignInFault));
      const { authorization, body } = forging.requests.findLast(({ path }) => path === "/token")!;
      assertEquals([authorization, body.get("client_id"), body.get("client_secret")], expected);
    });
  });

  it("ends when the browser, the time or the response is another", async () => {
    await using forging = await startForgingProvider();
    let nowMs = Date.now();
    const { provider } = createClient(forging.issuer, { parts: { now: () => nowMs } });
    const begun = await provider.begin({ redirectUri: REDIRECT_URI });
    assert("remembered" in begun);
    const { remembered } = begun;
    const { state } = remembered;
    type Row = readonly [Record<string, string>, expected: RegExp, isKnown?: false, ageMs?: number];
    await forEachRow<Row>([
      [{ code: "c", state: "x" }, /^sign_in_expired/],
      [{ code: "c" }, /^sign_in_expired/],
      [{ code: "c", state }, /^sign_in_expired/, false],
      [{ error: "access_denied", state: "x" }, /^sign_in_expired/],
      [{ code: "c", state }, /^sign_in_expired/, undefined, 600_001],
      [{ state }, /^answer_invalid: .*no code/],
      [{ code: "c", state, iss: "https://evil.example" }, /^answer_invalid: .*another iss/],
      [{ error: "access_denied", state, iss: "https://evil.example" }, /^answer_invalid/],
      [
        { error: "access_denied", state, error_description: "no" },
        /^provider_refused: .*denied no/,
      ],
    ], async ([parameters, expected, isKnown = true, ageMs = 0]) => {
      nowMs = remembered.begunMs + ageMs;
      const outcome = await provider.finish({
        parameters: new URLSearchParams(parameters),
        remembered: isKnown ? remembered : undefined,
        redirectUri: REDIRECT_URI,
      });
      assert(outcome instanceof SignInFault);
      assertMatch(`${outcome.code}: ${outcome.detail}`, expected);
    });
    assert(!forging.requests.some(({ path }) => path === "/token"));
    forging.script = { response: { iss: `${forging.issuer}/` } };
    const accepted = await signIn(createClient(forging.issuer));
    assertEquals(accepted.outcome, { issuer: forging.issuer, ...ANN });
  });
});

describe("a provider that misbehaves", () => {
  it("is a named fault when its metadata can't be used", async () => {
    await using forging = await startForgingProvider();
    await forEachRow<readonly [metadata: Record<string, unknown>, expected: RegExp]>([
      [{ issuer: "https://other.example" }, /of the issuer https:\/\/other\.example/],
      [{ issuer: undefined }, /of the issuer undefined/],
      [{ token_endpoint: "http://provider.example/token" }, /token_endpoint/],
      [{ authorization_endpoint: "javascript:alert(1)" }, /authorization_endpoint/],
      [{ jwks_uri: undefined }, /jwks_uri/],
      [{ jwks_uri: "https://user@provider.example/" }, /jwks_uri/],
      [{ userinfo_endpoint: "file:///etc/passwd" }, /userinfo_endpoint/],
    ], async ([metadata, expected]) => {
      forging.script = { metadata };
      const { outcome, log } = await signIn(createClient(forging.issuer));
      assert(outcome instanceof SignInFault);
      assertEquals(outcome.code, "provider_misconfigured");
      assertMatch(log[0], expected);
    });
    const { outcome } = await signIn(createClient(`${forging.issuer}/`));
    assertMatch(JSON.stringify(outcome), /misconfigured/);
    forging.script = {};
    const slash = await signIn(createClient(`${forging.issuer}/`));
    assertEquals(slash.outcome, { issuer: forging.issuer, ...ANN });
  });

  it("is a named fault when an endpoint is slow, huge, redirecting, failing or no JSON", async () => {
    const claims = { email: undefined };
    const userInfo = { sub: "u-1", email: "ann@example.com", email_verified: true };
    const huge = () => new Response(`{"a":"${"x".repeat(300_000)}"}`);
    const endless = () =>
      new Response(
        new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(65_536).fill(32)) }),
      );
    const stalled = () => new Response(new ReadableStream({}));
    const never = () => new Promise<Response>(() => {});
    const moved = () =>
      new Response(null, { status: 302, headers: { location: "http://127.0.0.1:9/" } });
    const kinds: readonly (readonly [Script["answer"], RegExp])[] = [
      [huge, /more than 262144 bytes/],
      [endless, /more than 262144 bytes/],
      [stalled, /does not answer within 0.5 s/],
      [never, /does not answer within 0.5 s/],
      [moved, /answers 302, a redirect/],
      [() => new Response("{}", { status: 503 }), /answers 503/],
      [() => new Response("<html>"), /no JSON object/],
      [() => new Response("[1]"), /no JSON object/],
    ];
    const rows = [METADATA, "/token", "/keys", "/userinfo"].flatMap((path) =>
      kinds.map(([answer, expected]) => ({ path, answer, expected }))
    );
    await Promise.all(rows.map(async ({ path, answer, expected }) => {
      await using forging = await startForgingProvider();
      forging.script = {
        claims,
        userInfo,
        answer: (asked) => asked === path ? answer?.(asked) : undefined,
      };
      const isSlow = [never, stalled].includes(answer as typeof stalled);
      const parts = isSlow ? { timeoutMs: 500 } : {};
      const client = createClient(forging.issuer, { parts });
      const { outcome, log } = await signIn(client);
      assert(outcome instanceof SignInFault, path);
      assertEquals(outcome.code, "provider_unavailable", path);
      assertMatch(log.join("\n"), expected, path);
    }));
  });

  it("is a named fault when it is down, and works again when it is up", async () => {
    const down = createClient(`http://127.0.0.1:${CLOSED_PORT}`);
    const { outcome, log } = await signIn(down);
    assert(outcome instanceof SignInFault);
    assertMatch(log.join(), /^provider_unavailable: its metadata can't be reached: /);
    await using forging = await startForgingProvider();
    forging.script = { answer: () => new Response(null, { status: 500 }) };
    const client = createClient(forging.issuer);
    assert((await signIn(client)).outcome instanceof SignInFault);
    forging.script = {};
    assertEquals((await signIn(client)).outcome, { issuer: forging.issuer, ...ANN });
  });

  it("puts no secret, token or address into URLs, faults and the log", async () => {
    await using forging = await startForgingProvider();
    const { clientSecret } = CLIENT;
    const credentials = btoa(clientSecret);
    const secrets = [
      ...[clientSecret, encodeURIComponent(clientSecret), credentials, "c0de-of-this-sign-in"],
      ...["acce55-token", "ann@example.com", "ann%40example.com", "eyJ"],
    ];
    const echo = (status: number) => async (path: string): Promise<Response> => {
      const { authorization, body } = forging.requests.at(-1)!;
      const words = `User ann@example.com\n\u0007\u202e${authorization} ${body} ${clientSecret}`;
      const answer = { error: "invalid_client", error_description: words };
      return await Promise.resolve(
        path === "/token" ? Response.json(answer, { status }) : undefined as never,
      );
    };
    const refused = {
      error: "denied ann@example.com",
      error_description: "a\nb\u0000 ann%40example.com",
    };
    await forEachRow<readonly [Script, RegExp]>([
      [{ answer: echo(401) }, /^client_refused: .* 401 invalid_client User … /],
      [{ answer: echo(200) }, /^client_refused: /],
      [{ response: refused }, /^provider_refused: .*denied … a b …$/],
      [{ claims: { email_verified: false } }, /^email_unverified/],
      [{ claims: { email: "ann@example.com\n" } }, /^email_missing/],
      [{ claims: { iss: "ann@example.com" } }, /^answer_invalid/],
      [{ metadata: { issuer: "https://ann@example.com/" } }, /^provider_misconfigured/],
    ], async ([script, expected]) => {
      forging.script = script;
      const { outcome, urls, log } = await signIn(createClient(forging.issuer));
      assertMatch(log.join("\n"), expected);
      assertEquals(log.length, 1);
      assert(log[0].length < 300 && !/[\p{C}]/u.test(log[0]), log[0]);
      const seen = [JSON.stringify(outcome), log.join(), urls[0] ?? ""].join("\n");
      assertEquals(secrets.filter((secret) => seen.includes(secret)), []);
    });
  });
});

describe("what a provider publishes", () => {
  it("is read at the first sign-in, then after an hour, once for all at a time", async () => {
    await using forging = await startForgingProvider();
    let elapsedMs = 0;
    const client = createClient(forging.issuer, { parts: { elapsed: () => elapsedMs } });
    assertEquals(forging.requests, []);
    const count = (path: string) => forging.requests.filter((one) => one.path === path).length;
    await Promise.all([signIn(client), client.provider.begin({ redirectUri: REDIRECT_URI })]);
    elapsedMs = 3_599_999;
    await signIn(client);
    assertEquals([count(METADATA), count("/keys")], [1, 1]);
    elapsedMs = 3_600_000;
    await signIn(client);
    assertEquals([count(METADATA), count("/keys")], [2, 2]);
  });

  it("is read again for a key that is new, at most once a minute", async () => {
    await using forging = await startForgingProvider();
    const [second, third] = await Promise.all(["second", "third"].map((kid) => {
      return generateKey("ES256", kid);
    }));
    let elapsedMs = 0;
    const client = createClient(forging.issuer, { parts: { elapsed: () => elapsedMs } });
    const isIn = async () => !((await signIn(client)).outcome instanceof SignInFault);
    const count = () => forging.requests.filter(({ path }) => path === "/keys").length;
    assertEquals([await isIn(), count()], [true, 1]);
    forging.script = { keys: [second.jwk], sign: (claims) => signWith(second, claims) };
    assertEquals([await isIn(), count()], [true, 2]);
    forging.script = { keys: [third.jwk], sign: (claims) => signWith(third, claims) };
    elapsedMs = 59_999;
    assertEquals([await isIn(), count()], [false, 2]);
    elapsedMs = 60_000;
    assertEquals([await isIn(), count()], [true, 3]);
    // A key without a name is found in the same way.
    const { kid: _, ...unnamed } = second.jwk;
    forging.script = {
      keys: [unnamed],
      sign: (claims) => signWith(second, claims, { kid: undefined }),
    };
    elapsedMs = 120_000;
    assertEquals([await isIn(), count()], [true, 4]);
  });
});
