import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { fileURLToPath } from "node:url";
import { generateWebhookSecret, signWebhook } from "../../../model/webhooks/webhook_signature.ts";
import { withFolder } from "../../_support/folder.ts";
import { run } from "../../_support/process.ts";
import { forEachRow } from "../../_support/rows.ts";

const FILES = fileURLToPath(new URL("../../../docs/examples/verify_webhook/", import.meta.url));
// Mono lacks this method of .NET.
const SHIM = `namespace System.Security.Cryptography { static class CryptographicOperations {
  public static bool FixedTimeEquals(byte[] a, byte[] b) {
    return System.Linq.Enumerable.SequenceEqual(a, b); } } }`;

const BODY = '{"type":"test","data":{"name":"Anne-Zoé ✓"}}';

/** Builds the example of a language in a folder, and returns the command that runs it. */
type Build = (folder: string) => Promise<readonly [program: string, ...args: readonly string[]]>;

const LANGUAGES: Readonly<Record<string, Build>> = {
  async Go(folder) {
    await run("go", ["build", "-o", `${folder}/verify`, `${FILES}verify.go`], {
      env: { HOME: folder, GOCACHE: `${folder}/cache`, GO111MODULE: "off" },
    });
    return [`${folder}/verify`];
  },
  Python: () => Promise.resolve(["python3", `${FILES}verify.py`]),
  PHP: () => Promise.resolve(["php", `${FILES}verify.php`]),
  Ruby: () => Promise.resolve(["ruby", `${FILES}verify.rb`]),
  async Java(folder) {
    await run("javac", ["-d", folder, `${FILES}Verify.java`]);
    return ["java", "-cp", folder, "Verify"];
  },
  async "C#"(folder) {
    await Deno.writeTextFile(`${folder}/Shim.cs`, SHIM);
    await run("mcs", [`-out:${folder}/verify.exe`, `${FILES}Verify.cs`, `${folder}/Shim.cs`]);
    return ["mono", `${folder}/verify.exe`];
  },
};

describe("the signature of a message", () => {
  for (const [language, build] of Object.entries(LANGUAGES)) {
    it(`is verified in ${language}, and one that is wrong or old is refused`, () =>
      withFolder(async (folder) => {
        const [program, ...args] = await build(folder);
        const [secret, other] = [generateWebhookSecret(), generateWebhookSecret()];
        const now = Math.floor(Date.now() / 1_000);
        const verify = async (
          secrets: readonly string[],
          timestampSeconds: number,
          body = BODY,
        ) => {
          const bytes = new TextEncoder().encode(BODY);
          const signed = { id: "msg_1", timestampSeconds, body: bytes };
          const signatures = await signWebhook(secrets, signed);
          const given = [secret, "msg_1", `${timestampSeconds}`, signatures, body];
          return (await run(program, [...args, ...given], { env: { LC_ALL: "C.UTF-8" } })).out;
        };
        await forEachRow([[secret], [other, secret], [secret, other]], async (secrets) => {
          assertEquals(await verify(secrets, now), "verified\n");
        });
        const refused = [
          await verify([other], now),
          await verify([secret], now - 600),
          await verify([secret], now, `${BODY} `),
        ];
        assertEquals(refused.map((text) => text === "verified\n"), [false, false, false]);
      }));
  }
});
