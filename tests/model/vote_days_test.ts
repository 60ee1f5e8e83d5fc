import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import {
  addVoteDay,
  NO_VOTE_DAYS,
  recentVotes,
  takeVoteDay,
  UNKNOWN_VOTE_DAYS,
  type VoteDays,
} from "../../model/posts/vote_days.ts";
import { addMs } from "../../model/values/time.ts";

const NOW = "2026-11-28T12:00:00.000Z";
const DAY_MS = 24 * 3_600_000;

function daysAgo(days: number): string {
  return addMs(NOW, -days * DAY_MS);
}

function votesOf(start: VoteDays, ...ages: readonly number[]): VoteDays {
  return ages.reduce((days, age) => addVoteDay(days, daysAgo(age)), start);
}

describe("the days of votes", () => {
  it("count votes of the last 28 days", () => {
    assertEquals(recentVotes(votesOf(NO_VOTE_DAYS, 0, 0, 3, 27, 28, 400), NOW), 4);
  });

  it("count a vote no more when it is taken back", () => {
    const days = votesOf(NO_VOTE_DAYS, 3, 3, 5);
    assertEquals(recentVotes(takeVoteDay(days, daysAgo(3)), NOW), 2);
    assertEquals(takeVoteDay(takeVoteDay(days, daysAgo(3)), daysAgo(3)).days, {
      "20780": 1,
    });
  });

  it("keep 28 numbers however old the votes are", () => {
    const days = votesOf(NO_VOTE_DAYS, ...Array.from({ length: 400 }, (_, age) => age));
    assertEquals(Object.keys(days.days).length, 28);
    assertEquals(recentVotes(days, NOW), 28);
  });

  it("ignore votes of a clock that was ahead", () => {
    assertEquals(recentVotes(votesOf(NO_VOTE_DAYS, -2, 1), NOW), 1);
  });

  it("tell no number until all votes of 28 days are counted", () => {
    assertEquals(recentVotes(UNKNOWN_VOTE_DAYS, NOW), undefined);
    assertEquals(recentVotes(votesOf(UNKNOWN_VOTE_DAYS, 27, 1), NOW), undefined);
    assertEquals(recentVotes(votesOf(UNKNOWN_VOTE_DAYS, 28, 1), NOW), 1);
  });
});
