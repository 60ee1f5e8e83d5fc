import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { parseMailbox } from "../delivery/mailbox.ts";
import { Refusal } from "../model/refusal.ts";

describe("parseMailbox", () => {
  const accepted: Record<string, [string, string]> = {
    "ann@example.com": ["", "ann@example.com"],
    " <Ann@Example.com> ": ["", "ann@example.com"],
    "Ann Lee <ann@example.com>": ["Ann Lee", "ann@example.com"],
    "Ann Lee, Example<ann@bücher.example>": ["Ann Lee, Example", "ann@xn--bcher-kva.example"],
    '"Lee, \\"Ann\\"" <ann@example.com>': ['Lee, "Ann"', "ann@example.com"],
    "Änn <ann@example.com>": ["Änn", "ann@example.com"],
  };
  for (const [text, [name, address]] of Object.entries(accepted)) {
    it(`accepts ${text}`, () => assertEquals(parseMailbox(text), { name, address }));
  }

  const refused: Record<string, string> = {
    "": "invalid_email",
    "Ann Lee": "invalid_email",
    "Ann Lee ann@example.com": "invalid_email",
    "Ann <ann>": "invalid_email",
    "Ann <ann@example.com> Lee": "invalid_email",
    "Ann <ann@example.com>, Bob <bob@example.com>": "invalid_email",
    "Ann <ann@example.com\r\nBcc: eve@example.com>": "invalid_email",
    "Ann\r\nBcc: eve@example.com <ann@example.com>": "unsupported_characters",
    '"Ann" Lee <ann@example.com>': "invalid_email",
    [`${"a".repeat(201)} <ann@example.com>`]: "too_long",
  };
  for (const [text, code] of Object.entries(refused)) {
    it(`refuses ${JSON.stringify(text)} as ${code}`, () => {
      const refusal = parseMailbox(text);
      assertEquals(refusal instanceof Refusal ? refusal.code : refusal, code);
    });
  }
});
