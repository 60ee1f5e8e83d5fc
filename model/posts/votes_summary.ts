import { count, flag, listOf, object, part, text, time } from "../declare.ts";
import type { ShownOf } from "../resource.ts";

/** The votes of a post in numbers. */
export const VOTES_SUMMARY = object(
  "VotesSummary",
  "The votes of a post, counted by source, domain and day.",
  {
    bySource: part("How the votes came in, those without an address any more included.", {
      api: count("Through the API.", 30),
      form: count("By the form, confirmed by mail.", 12),
      import: count("With an import.", 0),
    }),
    byDomain: listOf(
      object("DomainVotes", "The votes of the addresses of one domain.", {
        domain: text("The domain.", "example.com"),
        votes: count("How many votes stand.", 38),
        firstAt: time("When the first of them was cast."),
        lastAt: time("When the last of them was cast."),
        aside: flag("Whether they are set aside, and don't count."),
      }),
      "The domains of the voters' addresses, most votes first.",
    ),
    byDay: listOf(
      object("DayVotes", "The votes of one day.", {
        day: text("The day, in the time zone of the pages.", "2026-11-21"),
        votes: count("How many votes were cast on it.", 3),
      }),
      "The last 28 days, oldest first.",
    ),
    asked: {
      ...count("How many voters asked to be told, with `asked=true`; else absent.", 41),
      optional: true,
    },
    untold: {
      ...count("How many of them were not told of the present status and answer, likewise.", 3),
      optional: true,
    },
  },
);

export type VotesSummary = ShownOf<typeof VOTES_SUMMARY.fields>;

/** The votes of the addresses of one domain. */
export type DomainVotes = VotesSummary["byDomain"][number];
