// All replies, for whom they are, and paces: too many rows for each run of the fast tests.
import { describe, it } from "@std/testing/bdd";
import {
  mailAround,
  mailThroughBreakdown,
  type Pace,
  REFUSED_PEOPLE,
  REPLIES,
} from "../../_support/refused_mails.ts";
import { forEachRow } from "../../_support/rows.ts";

const PACES: readonly Pace[] = [
  { rate: 10, answerMs: 50 },
  { rate: 10, answerMs: 2_500 },
  { rate: 2, answerMs: 50 },
  { rate: 0, answerMs: 300 },
  { rate: 10, answerMs: 500, connections: 1 },
  { rate: 10, answerMs: 500, connections: 2 },
];

describe("recipients who are refused in any words", () => {
  for (const [who, isRefused] of Object.entries(REFUSED_PEOPLE)) {
    it(`hold up nobody else: ${who}, at any rate, answered fast or slowly, or one at a time`, () =>
      forEachRow(
        REPLIES.flatMap((row) => PACES.map((pace) => [row, pace] as const)),
        ([row, pace]) => mailAround(row, { isRefused, ...pace }),
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
