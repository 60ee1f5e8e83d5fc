import { hidden, text, time } from "../declare.ts";
import type { Resource, ShownOf, StoredOf } from "../resource.ts";

/** The fields of a report. @internal */
export const REPORT = {
  name: "reports",
  key: "reportId",
  title: "Report",
  description: "A visitor's complaint about a post.",
  fields: {
    reportId: hidden("text"),
    // The `instanceId` of the post, and the time.
    place: hidden("text"),
    reason: text("What the visitor wrote.", "It names my doctor."),
    at: time("When it was sent."),
    // The time at which the report is removed.
    expiresAt: hidden("time"),
  },
  indexes: { byPost: { by: "place" }, byExpiry: { by: "expiresAt" } },
  personal: true,
} as const satisfies Resource;

/** A report as it is stored. */
export type Report = StoredOf<typeof REPORT.fields>;

/** A report as the API shows it. */
export type ShownReport = ShownOf<typeof REPORT.fields>;
