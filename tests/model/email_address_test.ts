import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import { parseEmailAddress } from "../../model/values/email_address.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { forEachRow } from "../_support/rows.ts";

const LABEL63 = "d".repeat(63);
const LOCAL64 = "l".repeat(64);
// 64 + 1 + 189 = 254 octets.
const LONGEST = `${LOCAL64}@${LABEL63}.${LABEL63}.${"d".repeat(61)}`;

const NORMAL = `
  ann@example.com a@b.c ann+news+x@example.com a.b.c@example.com !#$%&'*+/=?^_{|}~-@example.com
  -@example.com ann@1.example ann@a-b.c--d.example ann@1.2.3.4.com ${LONGEST}`;

const NORMALISED: readonly (readonly [given: string, normal: string])[] = [
  ["Ann@Example.COM", "ann@example.com"],
  ["ann@BU\u0308CHER.example", "ann@xn--bcher-kva.example"],
  ["ann@FAẞ.DE", "ann@xn--fa-hia.de"],
  ["ann@例え。テスト", "ann@xn--r8jz45g.xn--zckzah"],
  ["ann@ｅｘａｍｐｌｅ.com", "ann@example.com"],
];

const REFUSED = `
  @ ann ann@ @example.com ann@localhost ann@@example.com ann@b@example.com .ann@example.com
  ann.@example.com a..b@example.com ann@.example.com ann@example.com. ann@example..com ann@-a.com
  ann@a-.com ann@a_b.com ann@ü-.com ann@127.0.0.1 ann@999.1.1.1 ann@１２７.0.0.1 ann@[127.0.0.1]
  "ann"@example.com ann(x)@example.com ann,bob@example.com ann\\@example.com ann@example.com:80
  ann@exämple.com?x ann@ex%61mple.com ann@ü%2e.com ann@ü..com ann@ü ${LOCAL64}l@example.com
  ann@${LABEL63}d.com ann@${"ü".repeat(63)}.com ${LONGEST}d`;
// These rows are written as code, because a text would not show their characters.
const REFUSED_FOR_CHARACTERS = [
  ...["", "ann@exa mple.com", " ann@example.com", "ann@example.com ", "ann\t@example.com"],
  ...["ann@example.com\n", "ann\u0000@example.com", "Ann <ann@example.com>"],
  ...["ann@ü.\ud800.com", "ann@\u200b.com", "ann@ü-\u00ad.com", "ann@-\ufe0fü.com"],
];
const UNSUPPORTED = ["änn@example.com", "ann@ü@example.com", "\u212a@example.com", "\ud800@a.bc"];

const words = (text: string) => text.trim().split(/\s+/);

describe("an e-mail address", () => {
  it("is taken in its normal form, or refused", async () => {
    await forEachRow([
      ...words(NORMAL).map((given) => [given, given] as const),
      ...NORMALISED,
      ...[...words(REFUSED), ...REFUSED_FOR_CHARACTERS].map((one) => [one, "invalid_email"]),
      ...UNSUPPORTED.map((given) => [given, "unsupported_characters"] as const),
    ], ([given, expected]) => {
      const outcome = parseEmailAddress(given);
      assertEquals(outcome instanceof Refusal ? outcome.code : outcome, expected);
    });
  });

  it("is refused with a hint at %2B only where a plus sign may have been lost", async () => {
    await forEachRow([
      ...["ann news@a.bc", "a b c@a.bc"].map((text) => [text, true] as const),
      ...[" ann@a.bc", "ann @a.bc", "ann@a b.cd", "a  b@c.de"].map((text) =>
        [text, false] as const
      ),
    ], ([text, isHinted]) => {
      const refusal = parseEmailAddress(text);
      assertEquals(refusal instanceof Refusal && refusal.detail.includes("%2B"), isHinted);
    });
  });

  it("is its own normal form once it is accepted, within all limits", () => {
    const domain = fc.string({ unit: "grapheme", maxLength: 30 });
    fc.assert(fc.property(domain, (domain) => {
      const normal = parseEmailAddress(`Ann@${domain}.com`);
      if (normal instanceof Refusal) return;
      assertEquals(parseEmailAddress(normal), normal);
      assert(/^ann@[!-~]+$/.test(normal) && normal === normal.toLowerCase());
      const labels = normal.slice("ann@".length).split(".");
      assert(normal.length <= 254 && labels.length >= 2);
      assert(labels.every((part) => part.length >= 1 && part.length <= 63));
    }));
  });
});
