import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createHandler, type HandlerOptions, openMemoryStorage } from "../../../mod.ts";
import { providerName } from "../../../model/oidc/oidc_options.ts";
import { assertFailed, createCommandLine } from "../../_support/cli.ts";
import { forEachRow } from "../../_support/rows.ts";

const REQUIRED = { issuer: "https://login.acme.example", clientId: "boardcast" };
const SITE = { publicUrl: "https://a.example", studio: true };

function create(options: object) {
  return createHandler({ storage: openMemoryStorage(), ...SITE, ...options } as HandlerOptions);
}

describe("the option oidc of the handler", () => {
  it("is accepted when it names a provider that can be used", () =>
    forEachRow([
      {},
      { issuer: "https://login.acme.example/realms/common/" },
      { issuer: "https://login.microsoftonline.com/acme.example/v2.0" },
      { issuer: "http://localhost:9000" },
      { issuer: "http://127.0.0.1:9000/application/o/boardcast/" },
      { issuer: "http://[::1]:9000" },
      { clientSecret: "s3cret", name: "Acme", trustEmail: true },
      { role: "writer", domains: ["acme.example", "München.example"] },
      { domains: [] },
    ], (options) => assert(create({ oidc: { ...REQUIRED, ...options } }))));

  it("is refused with an error that names the part and what to write", () =>
    forEachRow<readonly [options: unknown, message: RegExp]>([
      [null, /oidc: give an object/],
      ["https://login.acme.example", /oidc: give an object/],
      [{ clientId: "a" }, /oidc\.issuer: it is missing/],
      [{ issuer: REQUIRED.issuer }, /oidc\.clientId: it is missing/],
      [{ ...REQUIRED, isuer: "x" }, /"isuer": there is none; did you mean issuer\?/],
      [{ ...REQUIRED, issuer: "login.acme.example" }, /oidc\.issuer: it is not an absolute/],
      [{ ...REQUIRED, issuer: "http://login.acme.example" }, /it must start with https/],
      [{ ...REQUIRED, issuer: "http://localhost.acme.example" }, /it must start with https/],
      [{ ...REQUIRED, issuer: "http://127.0.0.1.acme.example" }, /it must start with https/],
      [{ ...REQUIRED, issuer: "https://ann@login.acme.example" }, /must not have a user/],
      [{ ...REQUIRED, issuer: "https://login.acme.example#a" }, /user or a fragment/],
      [{ ...REQUIRED, issuer: "https://login.acme.example?a" }, /must not have a query/],
      [
        { ...REQUIRED, issuer: `${REQUIRED.issuer}/.well-known/openid-configuration` },
        /leave out \/\.well-known\/openid-configuration/,
      ],
      ...["common/v2.0", "organizations/v2.0", "consumers", "Common/"].map((path) =>
        [
          { ...REQUIRED, issuer: `https://login.microsoftonline.com/${path}` },
          /every tenant: name yours, as in https:\/\/login\.microsoftonline\.com\/TENANT\/v2\.0/,
        ] as const
      ),
      [{ ...REQUIRED, clientId: "" }, /oidc\.clientId: give/],
      [{ ...REQUIRED, clientSecret: "a\n" }, /oidc\.clientSecret: give/],
      [{ ...REQUIRED, name: " " }, /oidc\.name: it is empty/],
      [{ ...REQUIRED, role: "editr", domains: ["a.example"] }, /did you mean editor\?/],
      [{ ...REQUIRED, role: "admin", domains: ["a.example"] }, /none of writer, editor/],
      [{ ...REQUIRED, role: "editor" }, /oidc\.role: it needs domains/],
      [{ ...REQUIRED, domains: ["a.example"] }, /oidc\.domains: they need a role/],
      [{ ...REQUIRED, role: "editor", domains: ["@a.example"] }, /"@a\.example" is not a domain/],
      [{ ...REQUIRED, role: "editor", domains: ["example"] }, /"example" is not a domain/],
      [{ ...REQUIRED, role: "editor", domains: "a.example" }, /give an array of domains/],
      [{ ...REQUIRED, trustEmail: "yes" }, /oidc\.trustEmail: give true or false/],
    ], ([oidc, message]) => {
      assertMatch(assertThrows(() => create({ oidc }), TypeError).message, message);
    }));

  it("is refused without the studio or a public URL", () =>
    forEachRow([{ studio: false }, { publicUrl: undefined }], (other) => {
      const error = assertThrows(() => create({ oidc: REQUIRED, ...other }), TypeError);
      assertEquals(error.message, "Cannot use oidc: it needs a publicUrl and the studio");
    }));

  it("names the provider on the button, by default by its host", () => {
    assertEquals(providerName(REQUIRED), "login.acme.example");
    assertEquals(providerName({ ...REQUIRED, name: "Acme" }), "Acme");
  });
});

describe("the flags of the provider", () => {
  const SECRET = "BOARDCAST_OIDC_CLIENT_SECRET";
  const URLS = "--public-url https://a.example --oidc-issuer https://login.acme.example";
  const ALL = `${URLS} --oidc-client-id boardcast`;
  const openStorage = () => Promise.reject(new Error("all settings are right"));

  it("end the start with 2 and one line that says what to mend, without the secret", () => {
    type Row = readonly [line: string, message: string, variables?: Record<string, string>];
    return forEachRow<Row>([
      [URLS, "--oidc-client-id: it is missing"],
      ["--oidc-client-id boardcast", "--oidc-issuer: it is missing"],
      ["--oidc-trust-email", "--oidc-issuer: it is missing"],
      [`${ALL} --no-studio`, "--oidc-issuer needs --public-url, and the studio: no --no-studio"],
      [ALL.replace(/^\S+ \S+/, ""), "--oidc-issuer needs --public-url, and the studio"],
      [`${ALL} --oidc-role admin --oidc-domain a.example`, "--oidc-role: it is none of writer"],
      [`${ALL} --oidc-role editor`, "--oidc-role: it needs domains"],
      [`${ALL} --oidc-domain a.example`, "--oidc-domain: they need a role"],
      [`${ALL} --oidc-domain a.example,b.example`, "write --oidc-domain a.example --oidc-domain b"],
      [`${ALL} --oidc-domains a.example`, "did you mean --oidc-domain?"],
      [`${ALL} --oidc-isuer a`, "did you mean --oidc-issuer?"],
      [`${ALL} --oidc-client-secret hunter22`, "has no option"],
      [ALL, `${SECRET}: give up to 1,000 printable`, { [SECRET]: "hunter22\n" }],
      [ALL, "BOARDCAST_OIDC_ROLE: it is none of writer, editor; did you mean editor?", {
        BOARDCAST_OIDC_ROLE: "editr",
        BOARDCAST_OIDC_DOMAIN: "a.example",
      }],
    ], async ([line, message, environment]) => {
      const result = await createCommandLine({ openStorage, environment }).run(line);
      assertFailed(result, 2, message);
      assert(!result.err.includes("hunter22"), result.err);
    });
  });

  it("name a variable that is nearly one of theirs", async () => {
    const variableNames = () => ["BOARDCAST_OIDC_CLIENT_SECRETS", "BOARDCAST_MAIL_CLIENT_SECRET"];
    const result = await createCommandLine({ openStorage, variableNames }).run(ALL);
    assertFailed(result, 2, `BOARDCAST_OIDC_CLIENT_SECRETS: did you mean ${SECRET}?`);
  });

  it("are taken when they are right, a secret alone is not looked at", () =>
    forEachRow([
      ALL,
      `${ALL} --oidc-role editor --oidc-domain a.example --oidc-domain b.example`,
      "",
    ], async (line) => {
      const environment = { [SECRET]: "hunter22" };
      const result = await createCommandLine({ openStorage, environment }).run(`serve ${line}`);
      assertFailed(result, 1, "all settings are right");
    }));
});
