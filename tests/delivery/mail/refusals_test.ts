import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Mail } from "../../../delivery/mail/mailer.ts";
import { judgeMails, readRefusal } from "../../../model/deliveries/refusals.ts";
import { type Reply, SENT, startMailing } from "../../_support/mailing.ts";
import {
  mailAround,
  mailThroughBreakdown,
  PEOPLE,
  REFUSED_PEOPLE,
  REPLIES,
  toReply,
} from "../../_support/refused_mails.ts";
import { forEachRow } from "../../_support/rows.ts";

describe("judgeMails", () => {
  /**
   * Judges mails in order: `a` was accepted, `.` is awaited, `r` and `s` were refused in words of
   * the relay's kind, of two domains; `n` and `m` were refused otherwise. Each began after the
   * answer to the one before.
   */
  function judge(row: string): string {
    const texts: Readonly<Record<string, string>> = { r: "5.7.1 no", s: "5.7.1 no", m: "5.0.0 m" };
    const mails = [...row].map((letter, index) => {
      const userEmail = `u${index}@${letter === "s" ? "other" : "one"}.example`;
      const [code, text] = (texts[letter] ?? "5.0.0 n").split(" ");
      const reply = letter === "."
        ? undefined
        : letter === "a"
        ? "accepted" as const
        : readRefusal(userEmail, { code, text });
      return { userEmail, reply, begunAt: 2 * index, repliedAt: 2 * index + 1 };
    });
    const letters: Readonly<Record<string, string>> = { recipient: "c", relay: "X" };
    return judgeMails(mails).map((one) => letters[one] ?? one[0]).join("");
  }

  it("says whose a refusal is by what began after it", () =>
    forEachRow([
      ["r", "u"],
      ["rs", "uu"],
      ["rsr", "XXX"],
      ["rrr", "uuu"],
      ["ars", "auu"],
      ["rsar", "ccau"],
      ["rsra", "ccca"],
      ["arsr", "aXXX"],
      ["r.sr", "uauu"],
      ["rsr.", "XXXa"],
      [".rsr", "aXXX"],
      ["rnsr", "XXXX"],
      ["nnnnnnnnn", "ppppppppp"],
      ["nnnnnnnnnn", "XXXXXXXXXX"],
      ["nnnnannnnnn", "ccccapppppp"],
      ["nnm", "ccp"],
      ["n.m", "pap"],
      ["nnnnnnnnnm", "cccccccccp"],
      ["rrrrrrrrrr", "XXXXXXXXXX"],
    ], ([row, expected]) => assertEquals(judge(row), expected)));

  it("counts somebody who is tried again once", () => {
    const reply = readRefusal("x@a.example", { code: "5.7.1", text: "no" });
    const mails = ["x@a", "y@b", "x@a", "y@b"].map((userEmail, index) => ({
      userEmail,
      reply,
      begunAt: index,
      repliedAt: index,
    }));
    assertEquals(judgeMails(mails).join(), "unclear,unclear,unclear,unclear");
  });

  it("presumes a refusal to be the recipient's that was under way with an accepted mail", () => {
    const reply = readRefusal("x@a.example", { code: "5.7.1", text: "no" });
    const refused = { userEmail: "x@a.example", reply, begunAt: 0, repliedAt: 2 };
    const other = { userEmail: "y@b.example", reply: "accepted", begunAt: 1 } as const;
    const later = { ...other, begunAt: 3 };
    assertEquals(judgeMails([refused, other]).join(), "presumed,accepted");
    assertEquals(judgeMails([refused, other, later]).join(), "recipient,accepted,accepted");
  });
});

describe("recipients who are refused in any words", () => {
  for (const [who, isRefused] of Object.entries(REFUSED_PEOPLE)) {
    it(`hold up nobody else: ${who}, whether others are answered fast or slowly`, () =>
      forEachRow(
        REPLIES.slice(0, 3).flatMap((row) =>
          [50, 2_500].map((answerMs) => [row, answerMs] as const)
        ),
        ([row, answerMs]) => mailAround(row, { isRefused, rate: 10, answerMs }),
      ));
  }
});

describe("a relay that takes twelve mails, answers them slowly, and refuses all others", () => {
  it("fails nobody, and everybody is mailed once it is repaired", () =>
    forEachRow(REPLIES.slice(0, 3), (row) => mailThroughBreakdown(row, 2_500)));
});

describe("a relay that greylists everybody once", () => {
  it("is given each mail again, to one, two or three people, and to many", () =>
    forEachRow([1, 2, 3, 60], async (count) => {
      const seen = new Set<string>();
      const relay = ({ to }: Pick<Mail, "to">): Reply => {
        if (seen.has(to)) return SENT;
        seen.add(to);
        return toReply("deferred 4.7.1 Greylisting in action, please come back later");
      };
      const subscribers = PEOPLE.slice(0, count);
      await using mailing = await startMailing({ subscribers, relay });
      await mailing.publish("a");
      for (let i = 0; i < 12; i++) await mailing.clock.advance(10_000);
      assertEquals([mailing.recipients, await mailing.counts()], [
        subscribers.toSorted(),
        `done ${count} 0 0`,
      ]);
    }));
});
