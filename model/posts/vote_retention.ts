import { type FlaggedOption, isBetween, optionError } from "../options.ts";
import { parseDuration } from "../values/time.ts";

const MAX_RETENTION_MS = 100 * 365 * 86_400_000;

/** All that is known of the option `voteRetentionMs`. */
export const VOTE_RETENTION_OPTION: FlaggedOption<number | false> = {
  flag: "vote-retention 180d | off",
  schema: {
    description:
      "How long the addresses of voters are kept after their post was shipped or declined; pages " +
      "tell visitors.",
    default: "off",
  },
  parse: (text) => text === "off" ? false : parseDuration(text),
  check(retention, option) {
    if (retention === false || isBetween(0, retention, MAX_RETENTION_MS)) return;
    throw optionError(option, "give milliseconds, at most 100 years, or false", RangeError);
  },
};
