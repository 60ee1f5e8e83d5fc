import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { isPublicAddress } from "../../model/webhooks/public_address.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { parseWebhookAllow, parseWebhookUrl } from "../../model/webhooks/webhook_url.ts";
import { forEachRow } from "../_support/rows.ts";

const ALLOW = ["localhost:9000", "127.0.0.1:80", "[::1]:443", "intranet:8443"];

// Both ends of most blocks that are not public, some neighbours of blocks, and other spellings.
const ADDRESSES: Readonly<Record<"public" | "not public", string>> = {
  "public": `
    1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.255.0.0
    172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0 223.255.255.255
    2000:: 2001:200:: 2001:db7:: 2001:4860:4860::8.8.8.8 2606:4700:4700::1111 2A00:1450::1 3fff:1000::
    64:ff9b::8.8.8.8 64:ff9b::808:808`,
  "not public": `
    0.0.0.0 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255
    169.254.169.254 172.16.0.0 172.31.255.255 192.0.0.192 192.0.2.0 192.88.99.0 192.168.255.255
    198.18.0.0 198.19.255.255 198.51.100.0 203.0.113.0 224.0.0.0 240.0.0.0 255.255.255.255
    :: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:7f00:1 ::FFFF:10.0.0.1 ::ffff:8.8.8.8
    0:0:0:0:0:0:0:1 64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::8.8.8.8 100::1 2001::1 2001:1ff::
    2001:db8::1 2002:808:808:: 3fff:fff::1 4000:: 5f00::1 fd00:ec2::254 fe80::1 ff02::1
    8.8.8 8.8.2056 134744072 0x8.8.8.8 010.8.8.8 8.8.8.256 8.8.8.8. 8.8.8.8:443 8.8.8.8/32
    [2606:4700::1] 2606:4700::1%eth0 2606:4700:1 2606:4700::1::1 2606:47000::1 example.com`,
};

const ACCEPTED = `
  https://example.com https://hooks.example.com:8443/a/b?c=d&e=%20 HTTPS://EXAMPLE.COM/hook
  https://xn--bcher-kva.example/hook https://example.com/@user https://8.8.8.8:8443
  https://[2606:4700:4700:0:0::1111]:8443/hook https://localhost.example.com/
  https://1.example.com/ https://example.com/${"a".repeat(1_980)}`;

const ACCEPTED_AS_ALLOWED = `
  http://localhost:9000/hook https://localhost:9000/hook http://LOCALHOST:9000 http://127.0.0.1/hook
  http://0x7f.1/hook https://127.0.0.1:80/hook https://[0:0::1]:443/hook https://intranet:8443/hook`;

const REFUSED: Readonly<Record<string, string>> = {
  "must start with https://": `
    http://example.com/ http://8.8.8.8/ http://127.0.0.1:81/ http://localhost/ http://localhost:9001/
    http://[::1]:80/ http://localhost.example.com:9000/`,
  "must not contain a user name or a password": `
    https://user@example.com/ https://:password@example.com/ https://@example.com/
    https://localhost:9000@example.com/ https://example.com%2F@127.0.0.1/ http://user@localhost:9000/`,
  "must not have the port 0": `https://example.com:0/ https://8.8.8.8:0`,
  "must not contain a fragment": `https://example.com# http://localhost:9000/?a#b`,
  "must have a host that is public": `
    https://a..b/ https://.example.com/ https://a.b..example.com/ https://localhost/ https://LocalHost/ https://localhost./ https://app.localhost/ https://localhost:9001/
    https://intranet/ https://example.com./ https://ex%61mple.com/ https://127.0.0.1:8443/ https://127.1/
    https://0177.1/ https://0X7F000001/ https://2130706433/ https://%31%32%37.0.0.1/ https://0/
    https://8.8.2056/ https://10.0.0.1/ https://169.254.169.254/latest/meta-data/ https://[::]/
    https://[::1]:8443/ https://[::ffff:127.0.0.1]/ https://[64:ff9b::a9fe:a9fe]/ https://[fe80::1]/`,
  "is not an absolute http or https URL": `
    example.com //example.com/ https: https:example.com https:///example.com/ https://:443/
    https:\\\\example.com\\ https://example.com\\@127.0.0.1/ https://example.com/ü https://bücher.example/
    https://①②⑦.0.0.1/ https://127。0。0。1/ https://loc\u00adalhost/ https://example.com/%zz
    https://example.com:65536/ https://user@evil.example@example.com/ https://127.0.0.256/
    https://1.2.3.4.5/ https://4294967296/ https://example.123/ https://[::1/ https://::1/
    https://[fe80::1%25eth0]/ https://[127.0.0.1]/ ftp://example.com/ file:///etc/passwd
    javascript:alert(1) data:text/plain,a`,
  "is longer than 2000 characters": `https://example.com/${"a".repeat(1_981)}`,
};
// These rows contain spaces, which separate the rows above.
const REFUSED_FOR_SPACES = [
  ...["", " ", "https://example.com\t/", "https://exa\nmple.com/", " https://example.com/"],
  ...["https://example.com/ ", "https://example.com/a b"],
];

const words = (text: string) => text.trim().split(/[ \n]+/);

describe("an IP address", () => {
  it("is public outside of all blocks that are not, and in its normal spelling alone", async () => {
    await forEachRow(
      Object.entries(ADDRESSES).flatMap(([name, all]) => words(all).map((one) => [one, name])),
      ([address, name]) => assertEquals(isPublicAddress(address), name === "public"),
    );
  });
});

describe("the URL of a webhook", () => {
  it("is https to a public host, or what the operator allows", async () => {
    await forEachRow(words(ACCEPTED + ACCEPTED_AS_ALLOWED), (text) => {
      assertEquals(parseWebhookUrl(text, ALLOW), text);
    });
    await forEachRow(words(ACCEPTED_AS_ALLOWED), (text) => {
      assert(parseWebhookUrl(text, []) instanceof Refusal);
    });
  });

  it("is refused with the reason when it may lead elsewhere", async () => {
    const rows = Object.entries(REFUSED).flatMap(([detail, texts]) =>
      words(texts).map((text) => [text, detail])
    );
    const spaced = REFUSED_FOR_SPACES.map((text) => [text, "is not an absolute http or https URL"]);
    await forEachRow([...rows, ...spaced], ([text, detail]) => {
      const refusal = parseWebhookUrl(text, ALLOW);
      if (typeof refusal === "string") throw new Error(`accepted as ${refusal}`);
      assertStringIncludes(refusal.detail, detail);
      assertEquals(refusal.code, detail.includes("longer") ? "too_long" : "invalid_value");
    });
  });
});

describe("what webhooks are allowed", () => {
  it("is a host and a port in their normal form", async () => {
    await forEachRow([
      ["LocalHost:09000", "localhost:9000"],
      ["example.com:80", "example.com:80"],
      ["127.1:65535", "127.0.0.1:65535"],
      ["[0:0::1]:443", "[::1]:443"],
    ], ([text, allowed]) => assertEquals(parseWebhookAllow(text), allowed));
    const refused = words(`localhost localhost:0 localhost:65536 :80 [::1] ::1:80 [::1:80
      1.2.3.4.5:80 https://localhost:80 localhost:80/ user@localhost:80 *:80 bücher.example:80`);
    await forEachRow([...refused, "", "local host:80"], (text) => {
      assert(parseWebhookAllow(text) instanceof Refusal);
    });
  });
});
