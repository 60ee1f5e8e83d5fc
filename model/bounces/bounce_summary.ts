import { answer, count } from "../declare.ts";
import type { AnswerOf } from "../resource.ts";

/** The response to a report: the number of events by their consequence. */
export const BOUNCE_SUMMARY = answer("BounceSummary", "What the events of a report came to.", {
  read: count("How many events were read.", 1),
  unsubscribed: count("How many of them unsubscribed somebody.", 1),
  counted: count("How many were counted, and unsubscribe if more follow.", 0),
  ignored: count("How many changed nothing.", 0),
});

/** The {@linkcode BOUNCE_SUMMARY} of a report. */
export type BounceSummary = AnswerOf<typeof BOUNCE_SUMMARY.fields>;
