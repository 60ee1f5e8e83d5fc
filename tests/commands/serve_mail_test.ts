import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { readSettings, SERVE_OPTIONS } from "../../commands/serve/serve_options.ts";
import { parseArguments, readArguments } from "../../commands/shell/arguments.ts";
import { UsageError } from "../../commands/shell/options.ts";
import { testMail } from "../_support/mails.ts";
import { forEachRow } from "../_support/rows.ts";
import { startScriptedRelay } from "../_support/scripted_relay.ts";

const FROM = ["--mail-from", "Acme <news@acme.example>"];

/** Reads the settings of `serve` from flags and variables. */
function read(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const environment = (name: string) => variables[name];
  const tokens = parseArguments(args, SERVE_OPTIONS);
  const command = { name: "serve", options: SERVE_OPTIONS };
  return readSettings(readArguments(tokens, command, environment), environment);
}

describe("the mailer of serve", () => {
  it("names the host of the public URL to the relay, --mail-hello, or the sender's domain", () =>
    forEachRow<readonly [args: readonly string[], expected: string]>([
      [["--public-url", "https://updates.example:8443/x"], "EHLO updates.example"],
      [["--public-url", "https://u.example", "--mail-hello", "mx.example"], "EHLO mx.example"],
      [["--public-url", "http://127.0.0.1:8000"], "EHLO acme.example"],
      [["--public-url", "http://[::1]:8000"], "EHLO acme.example"],
    ], async ([args, expected]) => {
      await using relay = await startScriptedRelay();
      const { worker: { mailer } } = await read([...args, ...FROM, "--mail", relay.url]);
      const from = { name: "", address: "news@acme.example" };
      await mailer!.send(testMail({ from }));
      await mailer!.close();
      assertEquals(relay.commands[0][0], expected);
    }));

  it("needs all of the options for tokens, and names the one to mend", () => {
    const mail = [...FROM, "--public-url", "https://u.example", "--mail", "smtp://a@mx.example"];
    const url = ["--mail-token-url", "https://login.example/token"];
    const client = ["--mail-client-id", "boardcast"];
    const secret = { BOARDCAST_MAIL_CLIENT_SECRET: "s3cret" };
    return forEachRow<readonly [readonly string[], Readonly<Record<string, string>>, RegExp]>([
      [url, secret, /need each other/],
      [client, secret, /need each other/],
      [[...url, ...client], {}, /BOARDCAST_MAIL_CLIENT_SECRET need each other/],
      [["--mail-token-url", "login", ...client], secret, /^--mail-token-url: give the https URL/],
      // A name that only begins like that of this machine.
      [
        ["--mail-token-url", "http://localhost.evil.example/token", ...client],
        secret,
        /^--mail-token-url: give the https URL/,
      ],
      [["--mail-hello", "10.0.0.1"], {}, /^--mail-hello: give a name/],
      [[...url, ...client], { ...secret, BOARDCAST_MAIL_PASSWORD: "x" }, /_PASSWORD: leave it out/],
    ], async ([args, variables, message]) => {
      const error = await assertRejects(() => read([...mail, ...args], variables), UsageError);
      assertMatch(error.message, message);
      assertEquals(error.message.includes("s3cret"), false);
    });
  });
});
