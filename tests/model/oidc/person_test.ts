import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { joiningRole, readPerson } from "../../../model/oidc/person.ts";
import { shortenForLog, SignInFault } from "../../../model/oidc/sign_in_fault.ts";
import { forEachRow } from "../../_support/rows.ts";

const GOOGLE = { issuer: "https://accounts.google.com" };
const ACME = { issuer: "https://login.acme.example/" };
const ANN = { sub: "1", email: "ann@acme.example", email_verified: true };

function read(claims: Readonly<Record<string, unknown>>, options = ACME) {
  const person = readPerson({ idToken: { ...ANN, ...claims } }, options);
  assert(!(person instanceof SignInFault));
  return person;
}

describe("a person of the provider", () => {
  it("has the name that the provider knows, else what precedes the @", () =>
    forEachRow<readonly [name: unknown, expected: string]>([
      ["Ann Lee", "Ann Lee"],
      [" Ann ", "Ann"],
      [undefined, "ann"],
      [null, "ann"],
      ["", "ann"],
      [["Ann"], "ann"],
      ["Ann\u202eLee", "ann"],
      ["x".repeat(201), "ann"],
    ], ([name, expected]) => assertEquals(read({ name }).userName, expected)));

  it("has the name of the ID token, else that of UserInfo", () => {
    const userInfo = { ...ANN, name: "Other" };
    const names = ["Ann", undefined].map((name) =>
      readPerson({ idToken: { sub: "1", name }, userInfo }, ACME)
    );
    assertEquals(names.map((person) => "userName" in person && person.userName), ["Ann", "Other"]);
  });

  it("is known by an issuer without a slash at the end", () => {
    assertEquals(read({}).issuer, "https://login.acme.example");
  });

  it("belongs to the domain of the address; at Google, only if hd names it", () =>
    forEachRow<readonly [email: string, hd: unknown, google: string | undefined]>([
      ["ann@acme.example", "acme.example", "acme.example"],
      ["ann@ACME.example", "Acme.Example", "acme.example"],
      ["ann@acme.example", undefined, undefined],
      ["ann@acme.example", "other.example", undefined],
      ["ann@acme.example", "sub.acme.example", undefined],
      ["ann@münchen.example", "münchen.example", "xn--mnchen-3ya.example"],
    ], ([email, hd, google]) => {
      assertEquals(read({ email, hd }, GOOGLE).domain, google);
      assertEquals(read({ email, hd }, { issuer: `${GOOGLE.issuer}/` }).domain, google);
      assert(read({ email, hd }).domain !== undefined);
    }));

  it("joins with the role when the whole domain is one of those", () =>
    forEachRow<readonly [email: string, joins: boolean, options?: typeof ACME]>([
      ["ann@acme.example", true],
      ["ann@Acme.Example", true],
      ["ann@xn--mnchen-3ya.example", true],
      ["ann@sub.acme.example", false],
      ["ann@evil-acme.example", false],
      ["ann@acme.example.evil.example", false],
      ["ann@acme.example", false, GOOGLE],
    ], ([email, joins, options]) => {
      const person = read({ email }, options);
      const domains = ["ACME.example", "münchen.example"];
      assertEquals(joiningRole(person, { role: "editor", domains }), joins ? "editor" : undefined);
      assertEquals(joiningRole(person, {}), undefined);
    }));
});

describe("another program's words in the log", () => {
  it("are one line of at most 200 characters without addresses, secrets and controls", () =>
    forEachRow<readonly [text: string, expected: string]>([
      ["invalid_grant The code has expired", "invalid_grant The code has expired"],
      ["a\r\n\u0000\u001b[31mb\u2028c\u202ed", "a [31mb c d"],
      ["User 'ann.lee@acme.example' is unknown", "User '…' is unknown"],
      ["login_hint=ann%40acme.example&x", "login_hint=…"],
      ["client_secret=a+b%26c and a b&c", "client_secret=… and …"],
      ["x".repeat(201), `${"x".repeat(199)}…`],
      ["x".repeat(200), "x".repeat(200)],
    ], ([text, expected]) => assertEquals(shortenForLog(text, ["a b&c", ""]), expected)));
});
