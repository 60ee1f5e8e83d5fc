// All replies, for whom they are, and paces: too many rows for each run of the fast tests.
import { describe, it } from "@std/testing/bdd";
import {
  mailAround,
  mailThroughBreakdown,
  REFUSED_PEOPLE,
  REPLIES,
} from "../../_support/refused_mails.ts";
import { forEachRow } from "../../_support/rows.ts";

describe("recipients who are refused in any words", () => {
  for (const [who, isRefused] of Object.entries(REFUSED_PEOPLE)) {
    it(`hold up nobody else: ${who}, at any rate, answered fast or slowly`, () =>
      forEachRow(
        REPLIES.flatMap((row) =>
          ([[10, 50], [10, 2_500], [2, 50], [0, 300]] as const).map((pace) =>
            [row, ...pace] as const
          )
        ),
        ([row, rate, answerMs]) => mailAround(row, { isRefused, rate, answerMs }),
      ));
  }
});

describe("a relay that takes twelve mails, answers them slowly, and refuses all others", () => {
  it("fails nobody, and everybody is mailed once it is repaired", () =>
    forEachRow(
      REPLIES.flatMap((row) => [800, 2_500].map((answerMs) => [row, answerMs] as const)),
      ([row, answerMs]) => mailThroughBreakdown(row, answerMs),
    ));
});
