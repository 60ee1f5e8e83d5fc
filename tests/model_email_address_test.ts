import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import { parseEmailAddress } from "../model/email_address.ts";
import { Refusal } from "../model/refusal.ts";
import { forEachRow } from "./_rows.ts";

const LABEL63 = "d".repeat(63);
const LOCAL64 = "l".repeat(64);
// 64 + 1 + 189 = 254 octets.
const LONGEST = `${LOCAL64}@${LABEL63}.${LABEL63}.${"d".repeat(61)}`;

const ACCEPTED: readonly [given: string, normal: string][] = [
  ["ann@example.com", "ann@example.com"],
  ["Ann@Example.COM", "ann@example.com"],
  ["a@b.c", "a@b.c"],
  ["ann+news+x@example.com", "ann+news+x@example.com"],
  ["a.b.c@example.com", "a.b.c@example.com"],
  ["!#$%&'*+/=?^_`{|}~-@example.com", "!#$%&'*+/=?^_`{|}~-@example.com"],
  ["-@example.com", "-@example.com"],
  ["ann@1.example", "ann@1.example"],
  ["ann@a-b.c--d.example", "ann@a-b.c--d.example"],
  ["ann@1.2.3", "ann@1.2.3"],
  ["ann@1.2.3.4.com", "ann@1.2.3.4.com"],
  ["ann@bücher.example", "ann@xn--bcher-kva.example"],
  ["ann@BU\u0308CHER.example", "ann@xn--bcher-kva.example"],
  ["ann@vi\u1ec7t.vn", "ann@xn--vit-5kz.vn"],
  ["ann@vi\u00ea\u0323t.vn", "ann@xn--vit-5kz.vn"],
  ["ann@\uac00\u11a8.kr", "ann@xn--p39a.kr"],
  ["ann@\u1f80\u0300.com", "ann@xn--dng2q.com"],
  ["ann@XN--BCHER-KVA.EXAMPLE", "ann@xn--bcher-kva.example"],
  ["ann@faß.de", "ann@xn--fa-hia.de"],
  ["ann@FAẞ.DE", "ann@xn--fa-hia.de"],
  ["ann@例え。テスト", "ann@xn--r8jz45g.xn--zckzah"],
  ["ann@ｅｘａｍｐｌｅ.com", "ann@example.com"],
  ["ann@☃.net", "ann@xn--n3h.net"],
  ["ann@ä.1", "ann@xn--4ca.1"],
  ["ann@１.２.３", "ann@1.2.3"],
  [`${LOCAL64}@example.com`, `${LOCAL64}@example.com`],
  [`ann@${LABEL63}.com`, `ann@${LABEL63}.com`],
  [LONGEST, LONGEST],
];

const REFUSED: readonly string[] = [
  ...["", "@", "ann", "ann@", "@example.com", "ann@example", "ann@localhost"],
  ...["ann@@example.com", "ann@b@example.com", ".ann@example.com", "ann.@example.com"],
  ...["a..b@example.com", ".@example.com", "ann@.example.com", "ann@example.com."],
  ...["ann@example..com", "ann@-a.com", "ann@a-.com", "ann@example.com-", "ann@a_b.com"],
  ...["ann@-ü.com", "ann@ü-.com", "ann@ü.－a.com", "ann@127.0.0.1", "ann@999.1.1.1"],
  ...["ann@１２７.0.0.1", "ann@[127.0.0.1]", "ann@[::1]", "ann@exa mple.com", " ann@example.com"],
  ...["ann@example.com ", "ann news@example.com", "ann\t@example.com", "ann@example.com\n"],
  ...["ann\u0000@example.com", '"ann"@example.com', '"a b"@example.com'],
  ...["Ann <ann@example.com>", "ann(x)@example.com", "ann,bob@example.com", "ann;@example.com"],
  ...["ann:x@example.com", "ann\\@example.com", "ann@example.com:80", "ann@example.com/x"],
  ...["ann@exämple.com:80", "ann@exämple.com/x", "ann@exämple.com?x", "ann@ex%61mple.com"],
  ...["ann@ü%2e.com", "ann@ü.\ud800.com", "ann@\u200b.com", "ann@ü..com", "ann@ü-.com"],
  ...["ann@ü-\u00ad.com", "ann@\u200b-ü.com", "ann@-\ufe0fü.com", "ann@ü"],
  ...[`${LOCAL64}l@example.com`, `ann@${LABEL63}d.com`, `ann@${"ü".repeat(63)}.com`],
  ...[`${LONGEST}d`, `ann@${"ü.".repeat(200)}com`],
];

const UNSUPPORTED = [
  ...["änn@example.com", "ann@ü@example.com", "\u212a@example.com", "\ud800@a.bc", "ａ@b.cd"],
];

/** The code with which an address is refused; the address itself where it is taken. */
function outcomeOf(text: string): string {
  const outcome = parseEmailAddress(text);
  return outcome instanceof Refusal ? outcome.code : outcome;
}

describe("an e-mail address", () => {
  it("is taken in its normal form, or refused", async () => {
    await forEachRow([
      ...ACCEPTED,
      ...REFUSED.map((given) => [given, "invalid_email"] as const),
      ...UNSUPPORTED.map((given) => [given, "unsupported_characters"] as const),
    ], ([given, expected]) => assertEquals(outcomeOf(given), expected));
  });

  it("%2B is hinted at only where a plus sign may have been lost", () => {
    const hint = (text: string) => {
      const refusal = parseEmailAddress(text);
      return refusal instanceof Refusal && refusal.detail.includes("%2B");
    };
    assertEquals(["ann news@a.bc", "a b c@a.bc"].map(hint), [true, true]);
    const others = [" ann@a.bc", "ann@a.bc ", "ann @a.bc", "ann@a b.cd", "ann", "a  b@c.de"];
    assertEquals(others.map(hint), others.map(() => false));
  });

  const atom = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,9}$/);
  const label = fc.stringMatching(/^[A-Za-z]([A-Za-z0-9-]{0,9}[A-Za-z0-9])?$/);
  const address = fc.tuple(
    fc.array(atom, { minLength: 1, maxLength: 4 }),
    fc.array(label, { minLength: 2, maxLength: 4 }),
  ).map(([atoms, labels]) => `${atoms.join(".")}@${labels.join(".")}`);

  it("every address of the grammar is accepted, in lower case", () => {
    fc.assert(fc.property(address, (text) => {
      assertEquals(parseEmailAddress(text), text.toLowerCase());
    }));
  });

  it("an accepted address is its own normal form, within all limits", () => {
    const anything = fc.oneof(
      address,
      fc.string({ unit: "grapheme", maxLength: 80 }),
      fc.tuple(atom, fc.string({ unit: "grapheme", maxLength: 30 })).map(([local, domain]) =>
        `${local}@${domain}.com`
      ),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const normal = parseEmailAddress(text);
        if (normal instanceof Refusal) return;
        assertEquals(parseEmailAddress(normal), normal);
        const [local, domain, ...rest] = normal.split("@");
        const labels = domain.split(".");
        assert(rest.length === 0 && /^[!-~]+$/.test(normal) && normal === normal.toLowerCase());
        assert(normal.length <= 254 && local.length <= 64 && labels.length >= 2);
        assert(labels.every((part) => part.length >= 1 && part.length <= 63));
      }),
      { numRuns: 2_000 },
    );
  });
});
