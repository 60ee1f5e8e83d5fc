import { assert, assertEquals, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { parseSmtpUrl } from "../delivery/_smtp/relay.ts";
import { openSmtpMailer } from "../delivery/smtp.ts";

const LOGIN = { user: "ann@example.com", password: "s/e:c ret" };

describe("openSmtpMailer", () => {
  const urls: Record<string, ReturnType<typeof parseSmtpUrl>> = {
    "smtp://mail.example.com": { host: "mail.example.com", port: 587, tls: "starttls" },
    "SMTPS://mail.example.com/": { host: "mail.example.com", port: 465, tls: "implicit" },
    "smtp://[::1]:25?tls=off": { host: "::1", port: 25, tls: "off" },
    "smtps://ann%40example.com:s%2Fe%3Ac%20ret@127.0.0.1:1465": {
      ...{ host: "127.0.0.1", port: 1465, tls: "implicit", login: LOGIN },
    },
  };
  for (const [url, target] of Object.entries(urls)) {
    it(`reads ${url}`, () => assertEquals(parseSmtpUrl(url, undefined), target));
  }

  it("takes the password apart from the URL, where nothing is encoded", () => {
    const { login } = parseSmtpUrl("smtp://ann%40example.com@localhost", "%41");
    assertEquals(login, { user: "ann@example.com", password: "%41" });
  });

  const unreadable = "Cannot read the mail URL";
  const bad: readonly (readonly [string, string, string?])[] = [
    ["", unreadable],
    ["mail.example.com", unreadable],
    ["http://mail.example.com", unreadable],
    ["smtp:mail.example.com", unreadable],
    ["smtp://", unreadable],
    ["smtp://mail.example.com:0", unreadable],
    ["smtp://mail.example.com:65536", unreadable],
    ["smtp://mail.example.com/path", unreadable],
    ["smtp://mail.example.com#part", unreadable],
    ["smtp://mail.example.com\r\n", unreadable],
    ["smtp://mäil.example.com", unreadable],
    ["smtp://-mail.example.com", unreadable],
    ["smtp://ann:%zzsecret@mail.example.com", unreadable],
    ["smtp://ann:1?secret@mail.example.com", unreadable],
    ["smtp://mail.example.com?secret=1", 'the parameter "secret"'],
    ["smtp://mail.example.com?tls=on", "the parameter tls"],
    ["smtp://mail.example.com?tls=off&tls=off", "the parameter tls"],
    ["smtps://mail.example.com?tls=off", "smtps"],
    ["smtp://ann@mail.example.com", "no password"],
    ["smtp://:secret@mail.example.com", "no user"],
    ["smtp://mail.example.com", "no user", "secret"],
    ["smtp://ann@mail.example.com", "no password", ""],
    ["smtp://ann:secret@mail.example.com", "two passwords", "secret"],
    ["smtp://ann:sec%00ret@mail.example.com", "NUL"],
    ["smtp://ann@mail.example.com", "NUL", "sec\0ret"],
  ];
  for (const [url, message, password] of bad) {
    it(`refuses ${JSON.stringify(url)}${password === undefined ? "" : " with a password"}`, () => {
      const error = assertThrows(() => openSmtpMailer(url, { password }), TypeError, message);
      assert(!error.message.replace(/parameter "\w+"/, "").includes("secret"), error.message);
    });
  }

  it("refuses options that there are not", () => {
    const misspelt: readonly (readonly [string, object])[] = [
      ["pasword", { pasword: "a" }],
      ["key", { tls: { key: "a" } }],
    ];
    for (const [name, options] of misspelt) {
      assertThrows(() => openSmtpMailer("smtp://a", options), TypeError, `the option "${name}"`);
    }
  });

  it("refuses time-outs that no timer keeps", () => {
    for (const ms of [0, NaN, 2 ** 31]) {
      for (const name of ["timeoutMs", "idleTimeoutMs"]) {
        assertThrows(() => openSmtpMailer("smtp://localhost", { [name]: ms }), RangeError);
      }
    }
  });
});
